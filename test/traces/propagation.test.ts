import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

type Line = Record<string, unknown>

let world: World
let lines: Line[]
beforeAll(async () => {
  world = await createWorld({ env: { LOG_LEVEL: "info" } })
})
beforeEach(() => {
  lines = []
  for (const level of ["info", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line) as Line))
  }
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => world.close())

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SENT = `00-${TRACE}-b7ad6b7169203331-01`

const send = (client: TestClient, space: string, headers: Record<string, string>, text = "hello") =>
  client.sendTurn({ space, text }, crypto.randomUUID(), headers)

const traceIdOf = ({ traceparent }: Pick<Turn, "traceparent">) => traceparent.split("-")[1]

test("A repeat with the same Idempotency-Key answers with the first trace, whatever trace it names", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const first = await send(client, space, { "idempotency-key": "a", traceparent: SENT, tracestate: "v=1" })
  const turn = await turnOf(first)
  expect(turn).toMatchObject({ tracestate: "v=1" })
  expect(traceIdOf(turn)).toBe(TRACE)
  const other = SENT.replace(TRACE, "f".repeat(32))
  for (const headers of [{ traceparent: other, tracestate: "w=2" }, {}, { traceparent: SENT }]) {
    const repeat = await send(client, space, { "idempotency-key": "a", ...headers } as Record<string, string>)
    expect(repeat.headers.get("idempotent-replayed")).toBe("true")
    expect(repeat.headers.get("traceresponse")).toBe(first.headers.get("traceresponse"))
    expect(await turnOf(repeat)).toEqual(turn)
  }
  const began = await turnOf(await send(client, space, { "idempotency-key": "b" }))
  const later = await send(client, space, { "idempotency-key": "b", traceparent: SENT })
  expect(await turnOf(later)).toEqual(began)
})

test("An invalid traceparent is ignored together with its tracestate, and the turn begins a trace", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  for (const traceparent of ["garbage", SENT.toUpperCase(), `${SENT}-x`, `00-${"0".repeat(32)}-b7ad6b7169203331-01`]) {
    const turn = await turnOf(await send(client, space, { traceparent, tracestate: "v=1" }))
    expect(turn).toMatchObject({ state: "queued", tracestate: null })
    expect(turn.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(traceIdOf(turn)).not.toBe(TRACE)
  }
  const bad = await turnOf(await send(client, space, { traceparent: SENT, tracestate: "no pair" }))
  expect([traceIdOf(bad), bad.tracestate]).toEqual([TRACE, null])
  const [row] = await world.sql("select count(traceparent)::int as stored from turns where user_id = $1", [
    client.userId,
  ])
  expect(row, "a trace that the turn began needs no column").toEqual({ stored: 1 })
})

test("A trace that its caller did not sample is passed on as not sampled", async () => {
  const client = await world.createAccount()
  const customer = serveCustomer(world)
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "token-1" } })
  const text = '[call lookup_order {"id":"A-1"}]'
  const turn = await turnOf(await send(client, space, { traceparent: SENT.replace(/01$/, "00") }, text))
  expect(turn.traceparent).toMatch(/-00$/)
  await world.drain()
  expect(customer.requests[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
})

test("A tool's own traceparent wins over the turn's", async () => {
  const client = await world.createAccount()
  const customer = serveCustomer(world)
  const own = orderTool()
  const headers = { ...own.request.headers, traceparent: "mine" }
  const space = await client.space({
    tools: [{ ...own, request: { ...own.request, headers } }],
    secrets: { TOKEN: "token-1" },
  })
  await client.runTurn({ space, text: '[call lookup_order {"id":"A-1"}]' })
  expect(customer.requests.map((request) => request.headers.traceparent)).toEqual(["mine"])
})

test("The request, the runs, the calls and the webhooks of two turns in one delivery each log their own turn's ids", async () => {
  const client = await world.createAccount()
  serveCustomer(world)
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "token-1" } })
  const text = '[call lookup_order {"id":"A-1"}]'
  lines = []
  const sent = [await send(client, space, { traceparent: SENT }, text), await send(client, space, {}, text)]
  const turns = await Promise.all(sent.map(turnOf))
  await world.drain()
  for (const turn of turns) {
    const own = lines.filter((line) => line.turn_id === turn.turn_id)
    const ids = { turn_id: turn.turn_id, account: client.userId, trace_id: traceIdOf(turn) }
    for (const line of own) expect(line).toMatchObject(ids)
    expect(own.map(({ event }) => event).sort()).toEqual(
      ["request", "model.called", "tool.called", "model.called", "turn.run", "webhook.sent"].sort(),
    )
    const [request] = own.filter(({ event }) => event === "request")
    expect(request).toMatchObject({ method: "POST", path: "/v1/turns", status: 202 })
  }
  const joined = lines.filter(({ trace_id }) => trace_id !== undefined)
  expect(new Set(joined.map(({ turn_id }) => turn_id))).toEqual(new Set(turns.map(({ turn_id }) => turn_id)))
  const read = await client.call("GET", `/v1/turns/${turns[0]?.turn_id}`)
  expect(read.status).toBe(200)
  expect(lines.at(-1)).toMatchObject({ event: "request", turn_id: turns[0]?.turn_id, account: client.userId })
})
