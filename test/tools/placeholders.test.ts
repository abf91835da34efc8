import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest"
import { verifyTakenCall, verifyToolRequest } from "../../client/src/index.ts"
import { readAnswer } from "../harness/answers.ts"
import { contextOf } from "../harness/context.ts"
import { orderTool, type SeenRequest, serveCustomer } from "../harness/customer.ts"
import { sendUntilItWaits, waiter, workTool } from "../harness/waiting.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let shop: ReturnType<typeof serveCustomer>
let client: TestClient
const mcp: SeenRequest[] = []
beforeAll(async () => {
  world = await createWorld()
  shop = serveCustomer(world)
  world.serve("mcp.customer.com", async (request) => {
    const body = request.method === "POST" ? await request.text() : ""
    mcp.push({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body })
    return fetch(inject("mcpUrl"), { method: request.method, headers: request.headers, ...(body && { body }) })
  })
})
beforeEach(async () => {
  client = await world.createAccount()
  shop.requests.length = 0
  mcp.length = 0
})
afterAll(() => world.close())

/** A tool whose request takes the customer from the turn, and the order from the model. */
const ownOrders = (request: object = {}, schema: object = {}) =>
  orderTool("api.customer.com", {
    input_schema: {
      type: "object",
      properties: { id: { type: "string" }, customer: { type: "string" } },
      required: ["customer"],
      ...schema,
    },
    request: {
      method: "POST",
      url: "https://api.customer.com/of/{{end_user.ref}}?turn={{turn.id}}",
      query: { tier: '{{metadata.tier | "basic"}}' },
      headers: { "x-conversation": "{{conversation.id}}" },
      body: { customer: "{{end_user.ref}}", order: "{{input.id}}", note: "{{metadata.note}}" },
      ...request,
    },
  })

test("A request takes the end user, the turn and its metadata from the turn, each encoded for its place", async () => {
  const space = await client.space({ tools: [ownOrders()] })
  const ref = 'a/b?c&d="1" ü'
  const metadata = { note: '{{input.id}} "quoted"\n</x>' }
  const text = '[call lookup_order {"id":"A-1"}]\n[reply ok]'
  const turn = await client.runTurn({ space, end_user_ref: ref, text, metadata })
  expect(turn).toMatchObject({ state: "done" })
  const [request] = shop.requests
  const url = new URL(request?.url ?? "")
  expect(url.pathname).toBe(`/of/${encodeURIComponent(ref)}`)
  expect(Object.fromEntries(url.searchParams)).toEqual({ turn: turn.turn_id, tier: "basic" })
  expect(request?.headers["x-conversation"]).toBe(turn.conversation)
  expect(JSON.parse(request?.body ?? "")).toEqual({ customer: ref, order: "A-1", note: metadata.note })
})

test("A request without the value of a placeholder is not sent, and the model reads why", async () => {
  const space = await client.space({ tools: [ownOrders()] })
  const turn = await client.runTurn({ space, text: '[call lookup_order {"id":"A-1"}]\n[reply {{result}}]' })
  expect(turn.state).toBe("done")
  expect(shop.requests).toEqual([])
  const [step] = await world.sql<{ results: unknown }>("select results from turn_steps where turn_id = $1", [
    turn.turn_id,
  ])
  expect(JSON.stringify(step?.results)).toContain("{{metadata.note}} has no value in this turn.")
})

test("A field that the request fills is not in the model's schema, and a model that sends it is refused", async () => {
  const space = await client.space({ tools: [ownOrders({ body: { customer: "{{end_user.ref}}" } })] })
  const text = '[call lookup_order {"customer":"bob"}]\n[reply ok]'
  const turn = await client.runTurn({ space, end_user_ref: "ada", text })
  expect(turn.state).toBe("done")
  expect(shop.requests).toEqual([])
  const [step] = await world.sql<{ results: unknown }>("select results from turn_steps where turn_id = $1", [
    turn.turn_id,
  ])
  expect(JSON.stringify(step?.results)).toContain("The field customer is filled by the service.")
})

test("A header with a line break and an unknown placeholder are refused", async () => {
  const headers = { "x-note": "{{metadata.note}}" }
  const space = await client.space({ tools: [ownOrders({ headers })] })
  await client.runTurn({ space, text: "[call lookup_order {}]\n[reply x]", metadata: { note: "a\r\nx-evil: 1" } })
  expect(shop.requests).toEqual([])
  for (const [body, message] of [
    [{ a: "{{end_user.name}}" }, "{{end_user.name}} must be"],
    [{ a: "{{metadata.}}" }, "{{metadata.}} must be"],
    [{ customer: "{{end_user.ref}}", again: "{{input.customer}}" }, "{{input.customer}} has no value"],
    [
      { deep: { customer: "{{end_user.ref}}" }, again: "{{input.deep.customer.x}}" },
      "{{input.deep.customer.x}} has no",
    ],
    ['{"customer": "{{end_user.ref}}", "again": {{input.customer}}}', "{{input.customer}} has no value"],
  ] as const) {
    const put = client.call("PUT", `/v1/spaces/${space}/tools/lookup_order`, ownOrders({ body }))
    const refused = await readAnswer(put)
    expect(refused).toMatchObject({ status: 422, body: { error: { message: expect.stringContaining(message) } } })
  }
})

test("Headers of an MCP server have values of the turn, and no other part of it does", async () => {
  const server = {
    url: "https://mcp.customer.com/mcp",
    headers: { "x-customer": "{{end_user.ref}}", "x-tier": '{{metadata.tier | "basic"}}' },
    allowed_tools: ["echo"],
  }
  const space = await client.space({ mcp_servers: [{ name: "docs", ...server }] })
  const text = '[call docs__echo {"message":"hi"}]\n[reply ok]'
  expect(await client.runTurn({ space, end_user_ref: "ada", text })).toMatchObject({ state: "done" })
  expect(mcp.length).toBeGreaterThan(2)
  for (const { headers } of mcp) expect(headers).toMatchObject({ "x-customer": "ada", "x-tier": "basic" })
  const path = `/v1/spaces/${space}/mcp-servers/docs`
  for (const other of [{ url: "https://mcp.customer.com/{{end_user.ref}}" }, { headers: { x: "{{input.a}}" } }]) {
    expect((await client.call("PUT", path, { ...server, ...other })).status).toBe(422)
  }
  const check = async (query = "") => (await readAnswer(client.call("POST", `${path}/check${query}`))).body
  expect(await check("?end_user_ref=ada")).toMatchObject({ ok: true })
  expect(await check()).toMatchObject({ ok: false, error: "{{end_user.ref}} has no value in this turn." })
})

test("A test of a tool is made for the end user whom the caller names", async () => {
  const space = await client.space({ tools: [ownOrders()] })
  const path = `/v1/spaces/${space}/tools/lookup_order/test`
  const without = await readAnswer(client.call("POST", path, { input: { id: "A-1" } }))
  expect(without.body).toMatchObject({ ok: false, request: null })
  const tested = await readAnswer(
    client.call("POST", path, { input: {}, end_user_ref: "ada", metadata: { note: "n" } }),
  )
  expect(tested.body).toMatchObject({ ok: true })
  const [request] = shop.requests as [SeenRequest]
  const { keys } = (await (await world.invoke(new Request("https://api.test/.well-known/jwks.json"))).json()) as never
  const options = { issuer: contextOf(world).site.origin, keys, now: world.clock.now() }
  const who = await verifyToolRequest(request, { audience: "https://api.customer.com", ...options })
  expect(who).toMatchObject({ end_user_ref: "ada", turn_id: null, space })
})

test("A taken call says for whom it is made, and its token is for nothing else", async () => {
  const space = await client.space({ tools: [workTool()] })
  const sent = { space, end_user_ref: "ada", text: '[call pick {"sku":"S"}]', metadata: { note: "n" } }
  const turn = await sendUntilItWaits(world, client, sent)
  const { data } = await waiter(client).take("?limit=5")
  const [call] = data as [{ turn_id: string; call: string; identity: string }]
  expect(call).toMatchObject({ end_user_ref: "ada", metadata: { note: "n" }, conversation: turn.conversation })
  const { keys } = (await (await world.invoke(new Request("https://api.test/.well-known/jwks.json"))).json()) as never
  const options = { issuer: contextOf(world).site.origin, keys, now: world.clock.now() }
  expect(await verifyTakenCall(call, options)).toMatchObject({
    end_user_ref: "ada",
    turn_id: turn.turn_id,
    call: "0.0",
  })
  await expect(verifyTakenCall({ ...call, call: "0.1" }, options)).rejects.toThrow("another call")
  const asRequest = { headers: { "turnpike-identity": call.identity }, body: "" }
  for (const audience of ["https://api.customer.com", options.issuer]) {
    await expect(verifyToolRequest(asRequest, { audience, ...options })).rejects.toThrow(/audience|another body/)
  }
})
