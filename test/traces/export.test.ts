import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { attributesOf, exportTraces, type OtlpSpan, serveCollector, TRACE_ENDPOINT_PATH } from "../harness/otlp.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
const mcpRequests: { method: string; headers: Record<string, string>; meta: Record<string, unknown> }[] = []
beforeAll(async () => {
  world = await createWorld()
  world.serve("mcp.customer.com", async (request) => {
    const body = request.method === "POST" ? await request.text() : null
    const message = JSON.parse(body ?? "{}") as { method?: string; params?: { _meta?: Record<string, unknown> } }
    mcpRequests.push({
      method: message.method ?? request.method,
      headers: Object.fromEntries(request.headers),
      meta: message.params?._meta ?? {},
    })
    return fetch(inject("mcpUrl"), { method: request.method, headers: request.headers, ...(body && { body }) })
  })
})
afterAll(() => world.close())

const configuration = () => ({
  title: "Support",
  tools: [orderTool()],
  mcp_servers: [{ name: "everything", url: "https://mcp.customer.com/mcp", allowed_tools: ["echo"] }],
  secrets: { TOKEN: "canary-token-1" },
  manifest: { subagents: [{ name: "researcher", description: "Finds orders.", tools: ["lookup_order"] }] },
})

const TEXT = [
  '[call lookup_order {"id":"A-1"}]',
  '[and call everything__echo {"message":"hi"}]',
  '[delegate researcher [call lookup_order {"id":"A-2"}]\\n[reply Found it.]]',
  "[reply It left.]",
].join("\n")

const SENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

const parentOf = (spans: OtlpSpan[], { parentSpanId }: OtlpSpan) =>
  spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? null

test("A turn with a tool, an MCP server, a sub-agent and a webhook is one trace of the published protocol, exported once", async () => {
  const client = await world.createAccount()
  const collector = serveCollector(world)
  const customer = serveCustomer(world)
  const receiver = serveReceiver(world)
  const headers = { Authorization: "Bearer collector-secret" }
  const browser = await world.signIn(client.userId)
  const [status, endpoint] = await browser.json("PUT", TRACE_ENDPOINT_PATH, { url: collector.url, headers })
  expect([status, endpoint]).toMatchObject([
    200,
    { url: collector.url, header_names: ["authorization"], spans_sent: 0 },
  ])
  await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space(configuration())
  const sent = { traceparent: SENT, tracestate: "vendor=abc" }
  const accepted = await client.sendTurn({ space, text: TEXT }, "traced", sent)
  expect(accepted.status).toBe(202)
  await world.drain()
  const { turn_id } = (await accepted.clone().json()) as { turn_id: string }
  const turn = await client.getTurn(turn_id)
  expect(turn).toMatchObject({ state: "done", result: "It left.", tracestate: "vendor=abc" })
  await exportTraces(world)

  expect(collector.requests).toHaveLength(1)
  expect(collector.requests[0]?.headers).toMatchObject({
    authorization: "Bearer collector-secret",
    "content-type": "application/json",
  })
  const spans = collector.spans()
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(["0af7651916cd43dd8448eb211c80319c"]))
  expect(new Set(spans.map(({ traceState }) => traceState))).toEqual(new Set(["vendor=abc"]))
  const ids = spans.map(({ spanId }) => spanId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(spans.map((span) => [span.name, parentOf(spans, span)]).sort()).toEqual(
    [
      ["invoke_agent Support", null],
      ["chat standard", "invoke_agent Support"],
      ["execute_tool lookup_order", "invoke_agent Support"],
      ["execute_tool everything__echo", "invoke_agent Support"],
      ["chat standard", "invoke_agent Support"],
      ["execute_tool delegate", "invoke_agent Support"],
      ["invoke_agent researcher", "execute_tool delegate"],
      ["chat standard", "invoke_agent researcher"],
      ["execute_tool lookup_order", "invoke_agent researcher"],
      ["chat standard", "invoke_agent researcher"],
      ["chat standard", "invoke_agent Support"],
      ["POST turn.done", "invoke_agent Support"],
    ].sort(),
  )
  const named = (name: string) => spans.filter((span) => span.name === name)
  const [root] = named("invoke_agent Support") as [OtlpSpan]
  expect(root.parentSpanId).toBe("b7ad6b7169203331")
  expect(turn.traceparent).toBe(`00-${root.traceId}-${root.spanId}-01`)
  expect(accepted.headers.get("traceresponse")).toBe(turn.traceparent)
  expect(attributesOf(root)).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "rehearsal",
    "gen_ai.request.model": "standard",
    "gen_ai.agent.id": space,
    "gen_ai.agent.version": "1",
    "gen_ai.conversation.id": turn.conversation,
    "gen_ai.usage.input_tokens": String(turn.usage.tokens_input),
    "gen_ai.usage.output_tokens": String(turn.usage.tokens_output),
    "turnpike.turn.billed_usd": turn.billed_cost_usd,
    "user.id": "customer-1",
  })
  const chats = named("chat standard").map(attributesOf)
  const input = chats.reduce((sum, chat) => sum + Number(chat["gen_ai.usage.input_tokens"]), 0)
  expect(input).toBe(turn.usage.tokens_input)
  expect(JSON.stringify(spans), "no texts unless they are wished").not.toMatch(/It left|A-1|canary|shipped/)

  // Every called server got the span of its own call.
  const spanOf = (name: string) => named(name).map(({ spanId }) => `00-${root.traceId}-${spanId}-01`)
  expect(customer.requests.map((request) => request.headers.traceparent).sort()).toEqual(
    spanOf("execute_tool lookup_order").sort(),
  )
  expect(new Set(customer.requests.map((request) => request.headers.tracestate))).toEqual(new Set(["vendor=abc"]))
  const calls = mcpRequests.filter(({ method }) => method === "tools/call")
  expect(calls.map((call) => call.headers.traceparent)).toEqual(spanOf("execute_tool everything__echo"))
  expect(calls.map(({ meta }) => meta.traceparent)).toEqual(spanOf("execute_tool everything__echo"))
  const others = mcpRequests.filter(({ method }) => method !== "tools/call")
  expect(new Set(others.map((call) => call.headers.traceparent))).toEqual(new Set([turn.traceparent]))
  expect(receiver.received.map((event) => event.headers.traceparent)).toEqual(spanOf("POST turn.done"))

  // A second sweep has nothing to send. A repeat after a lost record sends the same spans.
  await exportTraces(world)
  expect(collector.requests).toHaveLength(1)
  await world.sql("update trace_exports set ended_at = '-infinity'::timestamptz, turn_id = '' where user_id = $1", [
    client.userId,
  ])
  await exportTraces(world)
  expect(collector.requests).toHaveLength(2)
  expect(collector.spans(1)).toEqual(collector.spans(0))
})
