import { afterAll, beforeAll, expect, test } from "vitest"
import { App } from "../../src/http/app.ts"
import { account } from "../../src/routes/account/group.ts"
import { signSessionToken } from "../../src/sign-in/session-token.ts"
import { askAboutPeople } from "../harness/account-people.ts"
import { askAboutSpending } from "../harness/anomalies.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { dumpTables } from "../harness/dump.ts"
import { codeOf } from "../harness/second-factor.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Every operation of the account API answers exactly what it declares", async () => {
  const app = new App()
  account.mount(app)
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const ended = await world.signIn(client.userId)
  await ended.call("POST", "/api/auth/logout")
  const endedCookie = `token=${await signSessionToken(ended.context, ended.token)}`
  const answered = new Set<string>()

  const requests: { method: string; path: string; body: object | undefined; headers: object }[] = []

  /** Asserts that all of these requests are refused with an ended session and write nothing. */
  async function refuseAll(): Promise<void> {
    const before = await dumpTables(world)
    for (const { method, path, body, headers } of requests) {
      const [status, { code }] = await ended.json(method, path, body, { cookie: endedCookie, ...headers })
      expect([status, code], path).toEqual([401, "SESSION_REQUIRED"])
    }
    expect(await dumpTables(world)).toEqual(before)
  }

  /**
   * Calls an operation and checks its answer against its declared status and schema, without
   * further fields.
   */
  async function ask(
    id: string,
    ids: Record<string, string> = {},
    body?: object,
    query = "",
    headers = {},
    // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
  ): Promise<any> {
    const operation = app.operations.find((known) => known.id === id)
    if (!operation) throw new Error(`there is no operation ${id}`)
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "") + query
    requests.push({ method: operation.method.toUpperCase(), path, body, headers })
    const response = await browser.call(operation.method.toUpperCase(), path, body, headers)
    answered.add(id)
    if (operation.answer.binary) {
      expect(response.status).toBe(operation.answer.status)
      return response.text()
    }
    const answer = (await response.json()) as object
    expect([response.status, answer], `${id}: ${JSON.stringify(answer)}`).toEqual([
      operation.answer.status,
      operation.answer.schema.parse(answer),
    ])
    if (operation.answer.headers?.Location) expect(response.headers.get("location")).toMatch(/^\/api\/account\//)
    return answer
  }

  const { space_id } = await ask("createSpace", {}, { title: "Mine", manifest: { instructions: "Be kind." } })
  await ask("getSpace", { space_id })
  for (const id of ["listSpaces", "getTraceEndpoint", "getBillingDetails"]) await ask(id)
  await ask("updateSpace", { space_id }, { title: "Mine, too" })
  await ask("putManifest", { space_id }, { instructions: "Be brief." })
  expect((await ask("getManifest", { space_id })).instructions).toBe("Be brief.")
  serveCustomer(world)
  const { name, ...tool } = orderTool()
  await ask("putSecret", { space_id, name: "TOKEN" }, { value: "s3cret" })
  expect((await ask("listSecrets", { space_id })).total).toBe(1)
  await ask("putBillingDetails", {}, { company: "Example GmbH" })
  await ask("putTraceEndpoint", {}, { url: "https://api.customer.com/v1/traces" })
  await ask("deleteTraceEndpoint")
  await ask("getRetention", { space_id })
  await ask("putRetention", { space_id }, { text_days: 30 })
  await ask("putTool", { space_id, name }, tool)
  await ask("getTool", { space_id, name })
  expect((await ask("listTools", { space_id })).total).toBe(1)
  const tried = await ask("testTool", { space_id, name }, { input: { id: "A-1" } })
  expect([tried.ok, JSON.stringify(tried).includes("s3cret")]).toEqual([true, false])
  await ask("putMcpServer", { space_id, name: "docs" }, { url: "https://api.customer.com/mcp" })
  await ask("getMcpServer", { space_id, name: "docs" })
  expect((await ask("listMcpServers", { space_id })).total).toBe(1)
  await ask("checkMcpServer", { space_id, name: "docs" })
  // A server without a failure is not listed (test/tools/optional-servers.test.ts).
  expect((await ask("listMcpServerFailures", { space_id })).items).toEqual([])
  await ask("deleteMcpServer", { space_id, name: "docs" })
  const versions = await ask("listConfigVersions", { space_id })
  expect(versions.data.map(({ change }: { change: string }) => change)).toContain("tools/lookup_order")
  const { version } = await ask("getConfigVersion", { space_id, version: String(versions.data[0].version) })
  expect(version).toBe(versions.data[0].version)
  const { file_id } = await ask("uploadFile", { space_id }, { a: 1 }, "?name=a.json")
  await ask("getFile", { space_id, file_id })
  expect(await ask("getFileContent", { space_id, file_id })).toBe('{"a":1}')
  expect((await ask("listFiles", { space_id })).total).toBe(1)
  await ask("deleteFile", { space_id, file_id })
  const caps = { daily_usd: 1, window_usd: 0.5, window_seconds: 60 }
  const { key_id, value } = await ask("createKey", {}, { name: "Server", scope: "space", space: space_id, caps })
  const { turn_id } = await world.createClient(client.userId, value).runTurn({ space: space_id })
  const chat = await ask("createChatTurn", {}, { space: space_id, text: "[write note.txt hello]" })
  await world.drain()
  await ask("getChatTurn", { turn_id: chat.turn_id })
  await ask("listChatTurns")
  const { conversation: conversation_id } = await ask("getTurn", { turn_id })
  await ask("getConversation", { conversation_id })
  await ask("getTurnMessages", { turn_id })
  await ask("listTurns")
  await ask("listTurnEvents", { turn_id: chat.turn_id })
  const [step] = (await ask("listTurnSteps", { turn_id: chat.turn_id })).items
  expect(step.tool_calls).toMatchObject([{ call: 0, name: "write_file", output: { is_error: false } }])
  const bill = await ask("getTurnBill", { turn_id: chat.turn_id })
  expect([bill.items.length > 0, bill.cost_usd]).toEqual([true, bill.billed_cost_usd])
  expect((await ask("listTurnFiles", { turn_id: chat.turn_id })).items).toMatchObject([{ name: "note.txt" }])
  await ask("listTurnDeliveries", { turn_id })
  expect((await ask("getTurnTrace", { turn_id })).spans.map(({ kind }: { kind: string }) => kind)).toEqual([
    "queue",
    "model",
  ])
  expect((await ask("exploreTurns")).total).toBe(2)
  expect((await ask("getTurnStats")).done).toBe(2)
  expect((await ask("search", {}, undefined, `?q=${turn_id}`)).items).toMatchObject([{ kind: "turn", id: turn_id }])
  expect(await ask("estimateChatTurn", {}, { space: space_id, text: "hello" })).toMatchObject({ admitted: true })
  const queued = await ask("createChatTurn", {}, { space: space_id, text: "never" })
  await ask("cancelTurn", { turn_id: queued.turn_id })
  const { name: refund, ...definition } = refundTool()
  await browser.json("PUT", `/api/account/spaces/${space_id}/tools/${refund}`, definition)
  const asking = { space: space_id, text: refundText(80), max_cost_usd: 0.1 }
  const asked = await ask("createChatTurn", {}, asking)
  await world.drain()
  expect((await ask("listWaitingTurns")).items).toMatchObject([
    { turn_id: asked.turn_id, waiting: { for: "approval" } },
  ])
  await ask("patchTurn", { turn_id: asked.turn_id }, { max_cost_usd: 0.2 })
  await ask("decideCall", { turn_id: asked.turn_id, call: "0.0" }, { decision: "deny" })
  await world.drain()
  expect([await ask("requestRefund", { turn_id }, { reason: "Odd" })]).toEqual((await ask("listRefundRequests")).items)
  await ask("rotateKey", { key_id }, {})
  await ask("updateKey", { key_id }, { name: "Renamed", expires_at: "2030-01-01T00:00:00Z" })
  for (const id of ["getKey", "listKeys", "revokeKey"]) await ask(id, { key_id })
  const [event] = (await ask("listEvents")).data
  await ask("getEvent", { event_id: event.id })
  expect((await ask("listModels")).data.length).toBeGreaterThan(0)
  const [{ end_user_ref }] = (await ask("listEndUsers")).data
  expect((await ask("listCustomers")).items).toMatchObject([{ end_user_ref }])
  await ask("getEndUser", { end_user_ref })
  await ask("putEndUserLimits", { end_user_ref }, { daily_usd: 1, blocked: true })
  await ask("putEndUserProfile", { end_user_ref }, { profile: { name: "Ada" } })
  await ask("getEndUserProfile", { end_user_ref })
  await ask("deleteEndUserProfile", { end_user_ref })
  await ask("putPrice", { name: "retail" }, { multiplier: 2 })
  await ask("putEndUserBilling", { end_user_ref }, { price: "retail", prepaid: true })
  await ask("getEndUserBalance", { end_user_ref })
  await ask("creditEndUser", { end_user_ref }, { amount_usd: 1 }, "", { "idempotency-key": "credit" })
  await ask("listEndUserLedger", { end_user_ref })
  await ask("putEndUserDefaults", {}, { price: "retail" })
  await ask("listEndUserDefaults")
  await ask("putEndUserDefaults", {}, {})
  await ask("putEndUserBilling", { end_user_ref }, { price: null })
  for (const id of ["listPrices", "getPrice", "deletePrice"]) await ask(id, { name: "retail" })
  await ask("putUsageKeys", {}, { keys: ["order"] })
  await ask("getUsageKeys")
  await ask("exportEndUser", { end_user_ref })
  await ask("previewPortal", { end_user_ref }, { scopes: ["usage"] })
  const { erasure_id } = await ask("eraseEndUser", { end_user_ref })
  await ask("getErasure", { erasure_id })
  const { webhook_id } = await ask("createWebhook", {}, { url: "https://hooks.customer.com/" })
  await ask("getWebhook", { webhook_id })
  await ask("getWebhookHealth", { webhook_id })
  await ask("updateWebhook", { webhook_id }, { description: "Orders" })
  await ask("rotateWebhookSecret", { webhook_id })
  const { delivery_id } = await ask("testWebhook", { webhook_id })
  await ask("getDelivery", { delivery_id })
  await ask("redeliver", { delivery_id })
  await ask("replayEvents", { webhook_id }, { from: "2026-01-01T00:00:00Z" })
  expect((await ask("listDeliveries", { webhook_id })).total, "the ping and the replayed delivery").toBeGreaterThan(3)
  expect((await ask("listWebhooks")).total).toBe(1)
  await ask("deleteWebhook", { webhook_id })
  expect((await ask("getUsage")).total.turns).toBe(1)
  const limits = { end_user_daily_usd: 1, low_balance_usd: 0.5 }
  expect(await ask("getPlan")).toEqual({ plan: null, daily_cap: null })
  expect(await ask("putLimits", {}, limits)).toEqual(await ask("getLimits"))
  for (const id of ["getMe", "getSetup", "getBalance"]) await ask(id)
  await world.sql(
    "insert into identities (issuer, subject, user_id, created_at) select 'https://id.test', n, $1, now() from unnest('{a,b}'::text[]) n",
    [client.userId],
  )
  const { items } = await ask("listIdentities")
  await ask("unlinkIdentity", { identity_id: items[0].identity_id })
  const other = await world.signIn(client.userId)
  expect((await ask("listSessions")).total).toBe(2)
  expect((await ask("listActivity")).total).toBeGreaterThan(10)
  await askAboutPeople(world, client.userId, ask)
  await ask("endSession", { session_id: other.sessionId })
  await ask("changePassword", {}, { new_password: "a password of mine" })
  expect(await ask("getSecondFactor")).toMatchObject({ enrolled: false, required: false })
  const { uri } = await ask("beginSecondFactor")
  await ask("confirmSecondFactor", {}, { code: codeOf(uri, world.clock.now()) })
  await ask("removeSecondFactor")
  expect((await ask("getEnergy")).days).toHaveLength(30)
  await askAboutSpending(world, client.userId, ask)
  expect(await ask("getAttention")).toMatchObject({ as_of: world.clock.now().toISOString() })
  expect((await ask("getTurnReceipt", { turn_id: chat.turn_id })).receipt.document.turn_id).toBe(chat.turn_id)
  const month = new Date(world.clock.ms()).toISOString().slice(0, 7)
  expect((await ask("listStatements")).items[0]).toMatchObject({ month, state: "open" })
  expect(await ask("getStatement", { month })).toMatchObject({ state: "open", statement: null })
  expect((await ask("listStatementDocuments", { month })).data.length).toBeGreaterThan(0)
  expect(await ask("putUsageExport", {}, { enabled: true })).toEqual(await ask("getUsageExport"))
  const { total } = await ask("listLedger")
  expect(total, "a top-up and three charges").toBe(4)
  expect((await ask("getSpaceSpend", { space_id })).turns).toBe(4)
  expect((await ask("listShares")).items).toEqual([])
  expect((await ask("putMembersLimit", { space_id }, { daily_usd: 1 })).people).toEqual([])
  expect(await ask("getSharing", { space_id })).toEqual(await ask("endSharing", { space_id }))
  await ask("deleteSecret", { space_id, name: "TOKEN" })
  await ask("deleteTool", { space_id, name })
  await ask("archiveSpace", { space_id })
  await ask("endSessions")
  await refuseAll()
  expect([...answered].sort(), "every operation is called here").toEqual(
    app.operations
      .filter(({ answer }) => answer.status !== 302)
      .map(({ id }) => id)
      .sort(),
  )
})

test("A list of spaces finds a chat's space and filters by kind and age", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const create = async (title: string, query = "") =>
    (await browser.json("POST", `/api/account/spaces${query}`, { title }))[1].space_id as string
  const [first, second, tests] = [
    await create("100% Support"),
    await create("Sales_desk"),
    await create("Support", "?test=true"),
  ]
  await world.advance(1)
  const third = await create("support, old")
  await world.sql("update spaces set archived_at = now() where slug = $1", [third])
  const found = async (query: string) => {
    const [status, { items, total }] = await browser.json("GET", `/api/account/spaces?${query}`)
    expect([status, total >= items.length]).toEqual([200, true])
    return items.map((space: { space_id: string }) => space.space_id)
  }
  expect((await found("")).sort()).toEqual([first, second].sort())
  expect(await found("q=SUPPORT")).toEqual([first])
  expect(await found("q=%25")).toEqual([first])
  expect(await found("q=_")).toEqual([second])
  expect(await found("archived=archived")).toEqual([third])
  expect((await found("archived=all"))[0]).toBe(third)
  expect(await found("archived=all&limit=1&offset=1")).toHaveLength(1)
  expect(await found("test=true")).toEqual([tests])
})

test("A list of turns filters by their fields and pages by cursor", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const [one, two] = [await client.space(), await client.space()]
  const ids: string[] = []
  for (const [space, end_user_ref] of [
    [one, "a"],
    [one, "b"],
    [two, "a"],
  ] as const) {
    await world.advance(1000)
    ids.unshift((await client.runTurn({ space, end_user_ref })).turn_id)
  }
  const found = async (query: string) => {
    const [, { items, total }] = await browser.json("GET", `/api/account/turns?${query}`)
    return [total, items.map((turn: { turn_id: string }) => turn.turn_id)]
  }
  expect(await found("")).toEqual([3, ids])
  expect(await found("limit=1&offset=1")).toEqual([3, [ids[1]]])
  expect(await found("offset=3")).toEqual([3, []])
  expect(await found(`space=${one}`)).toEqual([2, ids.slice(1)])
  expect(await found("end_user_ref=a")).toEqual([2, [ids[0], ids[2]]])
  expect(await found(`end_user_ref=a&space=${two}`)).toEqual([1, [ids[0]]])
  expect(await found("state=queued")).toEqual([0, []])
  const [{ key_id }] = (await world.sql("select key_id from turns where turn_id = $1", [ids[0]])) as [
    { key_id: string },
  ]
  expect((await found(`key=${key_id}`))[0]).toBe(3)
  expect(await found("key=key_none")).toEqual([0, []])
  const at = world.clock.now().toISOString()
  expect(await found(`created_after=${at}`)).toEqual([1, [ids[0]]])
  expect(await found(`created_before=${at}`)).toEqual([2, ids.slice(1)])
})
