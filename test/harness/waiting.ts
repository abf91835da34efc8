import { expect } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { readAnswer } from "./answers.ts"
import { serveCustomer } from "./customer.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

/** A tool that answers 202: its result comes later. */
export const laterTool = (overrides: object = {}) => ({
  name: "print",
  description: "Prints a label.",
  input_schema: { type: "object" },
  request: { method: "POST", url: "https://api.customer.com/labels" },
  answers_later: true,
  ...overrides,
})

/** A tool without a request, whose calls a worker takes. */
export const workTool = (overrides: object = {}) => ({
  name: "pick",
  description: "Picks from the shelf.",
  input_schema: { type: "object" },
  request: null,
  ...overrides,
})

/** Serves the tools: refunds succeed, and labels answer 202. */
export const serveTools = (world: Pick<World, "serve">) =>
  serveCustomer(world, {
    answer: ({ url }) =>
      url.endsWith("/labels") ? new Response(null, { status: 202 }) : Response.json({ refunded: true }),
  })

export function waiter(client: TestClient) {
  return {
    decide: (turnId: string, body: object, call = "0.0") =>
      readAnswer(client.call("POST", `/v1/turns/${turnId}/calls/${call}/decision`, body)),
    result: (turnId: string, body: object, call = "0.0", headers: Record<string, string> = {}) =>
      readAnswer(client.call("POST", `/v1/turns/${turnId}/calls/${call}/result`, body, headers)),
    raise: (turnId: string, max_cost_usd: number) =>
      readAnswer(client.call("PATCH", `/v1/turns/${turnId}`, { max_cost_usd })),
    take: async (query = "") => (await readAnswer(client.call("GET", `/v1/calls${query}`))).body,
    events: async (turnId: string) =>
      (await readAnswer(client.call("GET", `/v1/turns/${turnId}/events?limit=100`))).body.data as {
        type: string
        data: Record<string, unknown>
      }[],
  }
}

/** Sends a turn and runs it until it waits. */
export async function sendUntilItWaits(
  world: World,
  client: TestClient,
  body: { space: string } & Record<string, unknown>,
): Promise<Turn & { waiting: NonNullable<Turn["waiting"]> }> {
  const { turn_id } = await turnOf(await client.sendTurn(body))
  await world.drain()
  const turn = await client.getTurn(turn_id)
  expect(turn.waiting, JSON.stringify(turn)).not.toBeNull()
  return turn as Turn & { waiting: NonNullable<Turn["waiting"]> }
}
