import { afterAll, beforeAll, expect, test } from "vitest"
import { TRACE_POLICY } from "../../src/traces/policies.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { attributesOf, exportTraces, serveCollector, TRACE_ENDPOINT_PATH } from "../harness/otlp.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const OPERATOR = "https://otel.operator.com/base"

let world: World
let operator: ReturnType<typeof serveCollector>
beforeAll(async () => {
  world = await createWorld({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: OPERATOR,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=agents, Authorization=Bearer%20op-secret",
      OTEL_SERVICE_NAME: "turnpike-eu",
    },
  })
  operator = serveCollector(world, { host: "otel.operator.com" })
  await world.sweep()
})
afterAll(() => world.close())

async function createTraced(body: object = {}) {
  const client = await world.createAccount()
  const collector = serveCollector(world)
  const browser = await world.signIn(client.userId)
  const [status] = await browser.json("PUT", TRACE_ENDPOINT_PATH, { url: collector.url, ...body })
  expect(status).toBe(200)
  const seen = async () => {
    const [status, answer] = await (await world.signIn(client.userId)).json("GET", TRACE_ENDPOINT_PATH)
    expect(status).toBe(200)
    return answer.endpoint
  }
  return { client, collector, browser, seen, space: await client.space() }
}

const turnsIn = (spans: Parameters<typeof attributesOf>[0][]) =>
  spans.flatMap((span) => attributesOf(span)["turnpike.turn.id"] ?? [])

const runTurn = (client: TestClient, space: string) => client.runTurn({ space, text: "hello" })

test("An endpoint that asks for time with Retry-After gets the same spans after it, and the owner sees the failure", async () => {
  const { client, collector, seen, space } = await createTraced()
  collector.answer = () => Response.json({ message: "slow down" }, { status: 429, headers: { "retry-after": "300" } })
  await runTurn(client, space)
  await exportTraces(world)
  const failed = await seen()
  expect(failed).toMatchObject({
    spans_sent: 0,
    last_sent_at: null,
    last_error: "HTTP 429: slow down",
    last_failed_at: new Date(world.clock.ms()).toISOString(),
    retry_at: new Date(world.clock.ms() + 300_000).toISOString(),
  })
  await exportTraces(world, 240_000)
  expect(collector.requests).toHaveLength(1)
  collector.answer = () => Response.json({})
  await exportTraces(world)
  expect(collector.requests).toHaveLength(2)
  expect(collector.spans(1)).toEqual(collector.spans(0))
  expect(await seen()).toMatchObject({ spans_sent: 2, last_error: "HTTP 429: slow down", retry_at: null })
})

test("Spans that an endpoint refuses or rejects in part are not sent again, and later turns still are", async () => {
  const { client, collector, seen, space } = await createTraced()
  collector.answer = () => new Response("bad token", { status: 401 })
  await runTurn(client, space)
  await exportTraces(world)
  expect(await seen()).toMatchObject({ spans_sent: 0, last_error: "HTTP 401: bad token" })
  collector.answer = () => Response.json({ partialSuccess: { rejectedSpans: "1", errorMessage: "too old" } })
  const next = await runTurn(client, space)
  await exportTraces(world, 120_000)
  expect(collector.requests).toHaveLength(2)
  expect(turnsIn(collector.spans(1))).toEqual([next.turn_id])
  expect(await seen()).toMatchObject({ spans_sent: 1, last_error: "1 spans were rejected: too old", retry_at: null })
  collector.answer = () => Response.json({})
  await exportTraces(world)
  expect(collector.requests).toHaveLength(2)
})

test("An endpoint that never answers delays neither turns nor the endpoint of another account", async () => {
  const [slow, quick] = [await createTraced(), await createTraced()]
  slow.collector.answer = () => new Promise(() => {})
  await runTurn(slow.client, slow.space)
  await runTurn(quick.client, quick.space)
  const arrived = Promise.withResolvers<void>()
  quick.collector.answer = () => {
    arrived.resolve()
    return Response.json({})
  }
  await world.advance(61_000)
  const sweep = world.sweep()
  await arrived.promise
  expect(await runTurn(slow.client, slow.space)).toMatchObject({ state: "done" })
  // The export of the slow endpoint waits for its time limit.
  await world.clock.sleeping(1, 10_000)
  await world.advance(10_000)
  await sweep
  expect(await slow.seen()).toMatchObject({ spans_sent: 0, last_error: "The server did not answer within 10 s." })
  expect(await quick.seen()).toMatchObject({ spans_sent: 2, last_error: null })
  slow.collector.answer = () => Response.json({})
})

test("An endpoint that fails for days costs one row, and gets the spans of the last 24 hours once it works", async () => {
  const { client, collector, seen, space } = await createTraced()
  collector.answer = () => new Response(null, { status: 503 })
  await runTurn(client, space)
  const waits: number[] = []
  for (let failures = 1; failures <= 9; failures++) {
    await exportTraces(world)
    const { retry_at } = await seen()
    waits.push(Math.round((Date.parse(retry_at) - world.clock.ms()) / 60_000))
    await world.advance(Math.max(0, Date.parse(retry_at) - world.clock.ms() - 61_000))
  }
  expect(collector.requests).toHaveLength(9)
  for (const [index, wait] of waits.entries()) {
    const usual = Math.min(60, 2 ** index)
    expect(wait).toBeGreaterThanOrEqual(Math.floor(usual * 0.8))
    expect(wait).toBeLessThanOrEqual(Math.ceil(usual * 1.2))
  }
  await world.advance(25 * 3_600_000)
  collector.answer = () => Response.json({})
  const recent = await runTurn(client, space)
  await exportTraces(world)
  expect(turnsIn(collector.spans(9))).toEqual([recent.turn_id])
  const rows = await world.sql("select count(*)::int as rows from trace_exports where user_id = $1", [client.userId])
  expect(rows).toEqual([{ rows: 1 }])
})

test("Only an endpoint with texts gets them, and each is cut", async () => {
  const [plain, open] = [await createTraced(), await createTraced({ with_text: true })]
  const long = "x".repeat(TRACE_POLICY.text)
  const [answer, reply] = [{ note: `canary-answer${long}` }, `canary-reply${long}`]
  serveCustomer(world, { answer: () => Response.json(answer) })
  const text = `[call lookup_order {"id":"canary-input"}]\n[reply ${reply}]`
  const cut = (whole: string) => whole.slice(0, TRACE_POLICY.text)
  for (const { client } of [plain, open]) {
    const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary-secret" } })
    expect(await client.runTurn({ space, text })).toMatchObject({ state: "done", result: reply })
  }
  await exportTraces(world)
  expect(JSON.stringify(plain.collector.spans())).not.toContain("canary")
  const [root, chat, , tool] = open.collector.spans().map(attributesOf)
  expect(root?.["gen_ai.input.messages"]).toBe(
    JSON.stringify([{ role: "user", parts: [{ type: "text", content: cut(text) }] }]),
  )
  expect(root?.["gen_ai.output.messages"]).toBe(
    JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: cut(reply) }], finish_reason: "stop" }]),
  )
  expect(String(chat?.["gen_ai.output.messages"])).toContain('"type":"tool_call"')
  expect(tool).toMatchObject({
    "gen_ai.tool.call.arguments": '{"id":"canary-input"}',
    "gen_ai.tool.call.result": cut(JSON.stringify(answer)),
  })
  expect(JSON.stringify(open.collector.spans())).not.toContain("canary-secret")
})

test("The operator's collector gets the turns of every account, with neither texts nor references of end users", async () => {
  const before = operator.requests.length
  const { client, collector, space } = await createTraced()
  const other = await world.createAccount()
  const unsampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
  await client.call(
    "POST",
    "/v1/turns",
    { space, end_user_ref: "canary-person", text: "[reply canary-text]" },
    { "idempotency-key": "unsampled", traceparent: unsampled },
  )
  await world.drain()
  await world.advance(1_000)
  const second = await other.runTurn({ space: await other.space(), text: "[fail OUT_OF_STOCK]" })
  await exportTraces(world)
  expect(collector.requests, "the caller did not sample its trace").toHaveLength(0)
  const requests = operator.requests.slice(before)
  expect(requests.map(({ url }) => url)).toEqual([`${OPERATOR}/v1/traces`])
  expect(requests[0]?.headers).toMatchObject({ "x-team": "agents", authorization: "Bearer op-secret" })
  expect(requests[0]?.body).toContain("turnpike-eu")
  expect(requests[0]?.body).not.toContain("canary")
  const spans = operator.spans(before)
  const roots = spans.filter((span) => attributesOf(span)["turnpike.turn.id"])
  expect(roots.map((span) => attributesOf(span)["turnpike.account.id"])).toEqual([
    String(client.userId),
    String(other.userId),
  ])
  expect(attributesOf(roots[1] as (typeof roots)[number])).toMatchObject({
    "turnpike.turn.id": second.turn_id,
    "turnpike.turn.state": "failed",
    "error.type": "OUT_OF_STOCK",
  })
  expect(roots[1]?.status).toEqual({ code: 2 })
})

test("Headers are stored sealed, are never returned, and are not sent to another origin", async () => {
  const secret = "Bearer canary-header"
  const { client, collector, browser, space } = await createTraced({ headers: { Authorization: secret } })
  const [stored] = await world.sql<{ row: string }>(
    "select x::text || (select string_agg(a::text, ' ') from audit_log a) as row from trace_exports x where user_id = $1",
    [client.userId],
  )
  expect(stored?.row).not.toContain("canary-header")
  const same = await browser.json("PUT", TRACE_ENDPOINT_PATH, { url: `${collector.url}?tenant=1`, with_text: true })
  expect(same).toMatchObject([200, { header_names: ["authorization"], with_text: true }])
  expect(JSON.stringify(same)).not.toContain("canary")
  const other = await browser.json("PUT", TRACE_ENDPOINT_PATH, { url: "https://other.customer.com/v1/traces" })
  expect(other).toMatchObject([422, { detail: [{ loc: ["body", "headers"] }] }])
  await runTurn(client, space)
  await exportTraces(world)
  expect(collector.requests[0]).toMatchObject({
    url: `${collector.url}?tenant=1`,
    headers: { authorization: secret },
  })
  expect(
    await browser.json("PUT", TRACE_ENDPOINT_PATH, { url: "https://other.customer.com/v1/traces", headers: null }),
  ).toMatchObject([200, { header_names: [] }])
  expect((await browser.json("DELETE", TRACE_ENDPOINT_PATH))[0]).toBe(200)
  expect(await browser.json("GET", TRACE_ENDPOINT_PATH)).toEqual([200, { endpoint: null }])
  expect((await browser.json("DELETE", TRACE_ENDPOINT_PATH))[0]).toBe(404)
})

test.each([
  { url: "http://collector.customer.com/v1/traces" },
  { url: "https://10.0.0.1/v1/traces" },
  { url: "https://collector.internal/v1/traces" },
  { url: "https://user:password@collector.customer.com/" },
  { url: "not a url" },
  { url: "https://collector.customer.com/", headers: { "content-type": "text/plain" } },
  { url: "https://collector.customer.com/", headers: { "x-a": "line\nbreak" } },
  { url: "https://collector.customer.com/", headers: { "X-A": "1", "x-a": "2" } },
])("An endpoint as $url with $headers is refused", async (body) => {
  const client = await world.createAccount()
  const [status] = await (await world.signIn(client.userId)).json("PUT", TRACE_ENDPOINT_PATH, body)
  expect(status).toBe(422)
})

test("A redirect of an endpoint is not followed, and its spans are given up", async () => {
  const { client, collector, seen, space } = await createTraced()
  const target = serveCollector(world)
  collector.answer = () => new Response(null, { status: 307, headers: { location: target.url } })
  await runTurn(client, space)
  await exportTraces(world)
  expect(target.requests).toEqual([])
  expect(await seen()).toMatchObject({ spans_sent: 0, last_error: "HTTP 307" })
})

test("A stored URL without a public host is not called at the export either", async () => {
  const { client, seen, space } = await createTraced()
  const requests: string[] = []
  world.serve("collector.internal", async (request) => {
    requests.push(request.url)
    return Response.json({})
  })
  const stored = "https://collector.internal/v1/traces"
  await world.sql("update trace_exports set url = $2 where user_id = $1", [client.userId, stored])
  await runTurn(client, space)
  await exportTraces(world)
  expect(requests).toEqual([])
  const why = 'The URL cannot be called: its host "collector.internal" is no public name.'
  expect(await seen()).toMatchObject({ url: stored, spans_sent: 0, last_error: why })
})
