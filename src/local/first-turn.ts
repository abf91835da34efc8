import { randomUUID } from "node:crypto"
import type { Turn } from "../turns/schemas.ts"
import type { Demo } from "./demo.ts"

interface TurnEvent {
  type: string
  created_at: string
}

/** Sends one real turn over HTTP, as a customer's server would, and prints its life. */
export async function showFirstTurn(demo: Demo, pin: string, print: (line: string) => void): Promise<string> {
  const call = <T>(path: string, init: RequestInit = {}) => request<T>(demo, path, init)
  const earlier = await call<{ data: Turn[] }>("/v1/turns?limit=1")
  const newest = earlier.data[0]
  if (newest)
    print(`  an earlier turn is still here: ${newest.turn_id}, ${newest.state}, ${newest.billed_cost_usd} USD`)

  const space = newest?.space ?? (await call<{ space_id: string }>("/v1/spaces", body({ title: "Demo" }))).space_id
  const text = "Say hello to somebody who has just started Turnpike, in one sentence."
  const sent = { space, end_user_ref: "demo-customer", text, model: pin }
  let turn = await call<Turn>("/v1/turns", body(sent, { "idempotency-key": randomUUID() }))
  print(`  sent: "${text}" to ${pin}`)
  while (turn.finished_at === null) turn = await call<Turn>(`/v1/turns/${turn.turn_id}?wait=30`)

  const { data: events } = await call<{ data: TurnEvent[] }>(`/v1/turns/${turn.turn_id}/events`)
  const start = Date.parse(events[0]?.created_at ?? turn.created_at)
  for (const event of events) print(`  ${event.type.padEnd(13)} +${Date.parse(event.created_at) - start} ms`)
  print(
    turn.state === "done" ? `  reply: ${turn.result}` : `  ${turn.state}: ${turn.error?.code} ${turn.error?.message}`,
  )
  const { tokens_input, tokens_cached, tokens_output } = turn.usage
  print(
    `  bill:  ${turn.billed_cost_usd} USD (${tokens_input} tokens in, ${tokens_cached} of them cached, ${tokens_output} out)`,
  )
  return space
}

function body(value: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) }
}

async function request<T>(demo: Demo, path: string, init: RequestInit): Promise<T> {
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${demo.api_key}` }
  const response = await fetch(`${demo.base_url}${path}`, { ...init, headers })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${path}: HTTP ${response.status} ${answer}`)
  return JSON.parse(answer) as T
}
