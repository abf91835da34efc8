import { randomUUID } from "node:crypto"
import { plainNumber } from "../base/plain-json.ts"
import type { Space } from "../spaces/schemas.ts"
import type { CreateTurn, Turn } from "../turns/schemas.ts"
import type { Demo } from "./demo.ts"

interface TurnEvent {
  type: string
  created_at: string
}

/**
 * The service rejected the turn, for example because the balance is spent. `npm start` shows the error and continues.
 */
class Refused extends Error {}

/** Sends a turn over HTTP as an owner's server would, and prints its events. Returns the id of its space. */
export async function showFirstTurn(demo: Demo, pin: string, print: (line: string) => void): Promise<string> {
  const call = <T>(path: string, init: RequestInit = {}) => request<T>(demo, path, init)
  const [newest] = (await call<{ data: Turn[] }>("/v1/turns?limit=1")).data
  if (newest)
    print(
      `  the last turn of an earlier start: ${newest.turn_id}, ${newest.state}, ${plainNumber(newest.billed_cost_usd)} USD`,
    )
  const space = await demoSpace(call)
  try {
    await showTurn(call, { space, end_user_ref: "demo-customer", text: TEXT, model: pin }, print)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    print(`  refused: ${error.message}`)
  }
  return space
}

const TEXT = "Say hello to a developer who has just started Turnpike, in one sentence."
const MARK = { made_by: "npm start" }

type Call = <T>(path: string, init?: RequestInit) => Promise<T>

/** Finds the space that an earlier start created, or creates it. It never uses spaces that users created. */
async function demoSpace(call: Call): Promise<string> {
  const { data } = await call<{ data: Space[] }>("/v1/spaces?q=Demo&limit=100")
  const known = data.find(({ metadata }) => metadata.made_by === MARK.made_by)
  return (known ?? (await call<Space>("/v1/spaces", body({ title: "Demo", metadata: MARK })))).space_id
}

async function showTurn(call: Call, sent: CreateTurn, print: (line: string) => void): Promise<void> {
  let turn = await call<Turn>("/v1/turns", body(sent, { "idempotency-key": randomUUID() }))
  print(`  sent: "${sent.text}" to ${sent.model}`)
  while (turn.finished_at === null) turn = await call<Turn>(`/v1/turns/${turn.turn_id}?wait=30`)

  const { data: events } = await call<{ data: TurnEvent[] }>(`/v1/turns/${turn.turn_id}/events`)
  const start = Date.parse(events[0]?.created_at ?? turn.created_at)
  for (const event of events) print(`  ${event.type.padEnd(13)} +${Date.parse(event.created_at) - start} ms`)
  print(
    turn.state === "done" ? `  reply: ${turn.result}` : `  ${turn.state}: ${turn.error?.code} ${turn.error?.message}`,
  )
  const { tokens_input, tokens_cached, tokens_output } = turn.usage
  print(
    `  bill:  ${plainNumber(turn.billed_cost_usd)} USD (${tokens_input} tokens in, ${tokens_cached} of them cached, ${tokens_output} out)`,
  )
}

function body(value: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) }
}

async function request<T>(demo: Demo, path: string, init: RequestInit): Promise<T> {
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${demo.api_key}` }
  const response = await fetch(`${demo.base_url}${path}`, { ...init, headers })
  const answer = await response.text()
  if (!response.ok) {
    const Kind = response.status < 500 ? Refused : Error
    throw new Kind(`${init.method ?? "GET"} ${path}: HTTP ${response.status} ${answer}`)
  }
  return JSON.parse(answer) as T
}
