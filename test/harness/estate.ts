import { orderTool } from "./customer.ts"
import { idsIn, type V1Operation } from "./operations.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

/** An account with one resource of every kind in /v1. Each resource contains a unique word. */
export interface Estate {
  client: TestClient
  canary: string
  space: string
  /** Ids by path segment: `spaces/{space_id}`. */
  ids: Record<string, string>
  /** Ids by the name of a query parameter or body field. */
  references: Record<string, string | string[]>
}

/**
 * True if the estate still has all of its resources after its owner called the operation. It may
 * have gained some.
 */
export const leavesWhole = ({ id, method }: { id: string; method: string }) =>
  method.toUpperCase() === "GET" || /^(check|create|credit|estimate|put|test|update)/.test(id)

/** The host of the customer server that every estate's tool and MCP server use. */
export const ESTATE_HOST = "api.customer.com"

/**
 * Creates an estate. Add each new kind of resource here, with its ids for paths and fields.
 * Otherwise the tests of all operations fail for operations with that path.
 */
export async function createEstate(
  world: World,
  { client, usd = 10 }: { client?: TestClient; usd?: number } = {},
): Promise<Estate> {
  const owner = client ?? (await ownerWithAll(world, usd))
  const canary = `canary${crypto.randomUUID().replaceAll("-", "")}`
  const space = await owner.space({
    title: `title ${canary}`,
    manifest: { instructions: canary },
    tools: [orderTool(ESTATE_HOST, { description: canary })],
    mcp_servers: [{ name: "docs", url: `https://${ESTATE_HOST}/${canary}` }],
    secrets: { TOKEN: canary },
    metadata: { note: canary },
  })
  const upload = await owner.call("POST", `/v1/spaces/${space}/files?name=${canary}.txt`, canary, {
    "content-type": "text/plain",
  })
  const { file_id } = (await upload.json()) as { file_id: string }
  const body = { space, end_user_ref: canary, text: canary, files: [file_id], metadata: { note: canary } }
  // A turn names its price, and the prices of an account's estates have the names of their canaries.
  await owner.call("PUT", "/v1/end-user-defaults", { price: null })
  const done = await owner.runTurn(body)
  const url = `https://${ESTATE_HOST}/${canary}`
  const webhook = await makeWebhook(owner, { url, description: canary })
  const gone = `gone ${canary}`
  await owner.runTurn({ space, end_user_ref: gone })
  const erasure = await owner.call("DELETE", `/v1/end-users/${encodeURIComponent(gone)}`)
  const { erasure_id } = (await erasure.json()) as { erasure_id: string }
  await owner.call("PUT", `/v1/prices/${canary}`, { multiplier: 2 })
  await owner.call("PUT", `/v1/prices/of-${canary}`, { multiplier: 2 })
  await owner.call("PUT", "/v1/end-user-defaults", { price: `of-${canary}` })
  const turn = await turnOf(await owner.sendTurn(body, canary))
  const log = await owner.call("GET", `/v1/webhooks/${webhook.webhook_id}/deliveries`)
  const { data: deliveries } = (await log.json()) as {
    data: { delivery_id: string; event_id: string; event_type: string }[]
  }
  // Several have the same moment, in any order.
  const delivery = deliveries.find(({ event_type }) => event_type.startsWith("turn."))
  const page = (await (await owner.call("GET", "/v1/turns?limit=1")).json()) as { next_cursor: string }
  return {
    client: owner,
    canary,
    space,
    ids: {
      "spaces/{space_id}": space,
      "tools/{name}": "lookup_order",
      "mcp-servers/{name}": "docs",
      "secrets/{name}": "TOKEN",
      "versions/{version}": "1",
      "files/{file_id}": file_id,
      "turns/{turn_id}": turn.turn_id,
      "conversations/{conversation_id}": done.conversation,
      "ended/{turn_id}": done.turn_id,
      "responses/{response_id}": turn.turn_id.replace("turn_", "resp_"),
      "models/{space_id}": space,
      "calls/{call}": "0.0",
      "webhooks/{webhook_id}": webhook.webhook_id,
      "deliveries/{delivery_id}": delivery?.delivery_id ?? "",
      "events/{event_id}": delivery?.event_id ?? "",
      "end-users/{end_user_ref}": canary,
      "erasures/{erasure_id}": erasure_id,
      "statements/{month}": new Date(world.clock.ms()).toISOString().slice(0, 7),
      "prices/{name}": canary,
    },
    references: {
      space,
      conversation: done.conversation,
      files: [file_id],
      end_user_ref: canary,
      turn: turn.turn_id,
      key: await keyIdOf(owner),
      cursor: page.next_cursor,
    },
  }
}

/** Creates an account with a key of the scope `all`, which some operations require. */
export async function ownerWithAll(world: World, usd: number): Promise<TestClient> {
  return ownerClientOf(world, await world.createAccount({ usd }))
}

/** A client of this account with a new key of the scope `all`. */
export const ownerClientOf = async (world: World, { userId }: Pick<TestClient, "userId">): Promise<TestClient> =>
  world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)

/** Makes a webhook. Deletes another one first if the account is at its limit. */
async function makeWebhook(owner: TestClient, body: object): Promise<{ webhook_id: string }> {
  for (;;) {
    const made = await owner.call("POST", "/v1/webhooks", body)
    if (made.status === 201) {
      const webhook = (await made.json()) as { webhook_id: string }
      await owner.skipPing(webhook.webhook_id)
      return webhook
    }
    const list = await owner.call("GET", "/v1/webhooks")
    const [newest] = ((await list.json()) as { data: { webhook_id: string }[] }).data
    await owner.call("DELETE", `/v1/webhooks/${newest?.webhook_id}`)
  }
}

async function keyIdOf(client: TestClient): Promise<string> {
  const me = (await (await client.call("GET", "/v1/me")).json()) as { key: { key_id: string } }
  return me.key.key_id
}

/** Fills an operation's path with the ids of an estate. Throws if the estate lacks one of them. */
export function pathOf({ id, path }: Pick<V1Operation, "id" | "path">, { ids }: Pick<Estate, "ids">): string {
  return idsIn(path).reduce((filled, name) => {
    // Only an ended turn has a receipt.
    const value = id === "getTurnReceipt" ? (ids["ended/{turn_id}"] ?? ids[name]) : ids[name]
    if (value === undefined) throw new Error(`${id}: make something for ${name} in test/harness/estate.ts`)
    return filled.replace(name, `${name.split("/")[0]}/${encodeURIComponent(value)}`)
  }, path)
}

interface EstateCall {
  query?: string
  body?: unknown
  headers?: Record<string, string>
}

const { name: _name, ...definition } = orderTool(ESTATE_HOST, { description: "new" })

/** Bodies that make an operation succeed for the estate's owner. */
const CALLS: Record<string, (estate: Estate) => EstateCall> = {
  createSpace: () => ({ body: { title: "new" } }),
  search: ({ canary }) => ({ query: `?q=${canary}` }),
  confirmSecondFactor: () => ({ body: { code: "123456" } }),
  updateSpace: () => ({ body: { title: "newer" } }),
  putManifest: () => ({ body: { instructions: "new" } }),
  putRetention: () => ({ body: { text_days: 30 } }),
  putSecret: () => ({ body: { value: "newer" } }),
  putEndUserLimits: () => ({ body: { daily_usd: 1, monthly_usd: 2 } }),
  putEndUserProfile: () => ({ body: { profile: { name: "Ada" } } }),
  putEndUserBilling: () => ({ body: { prepaid: false } }),
  creditEndUser: () => ({ body: { amount_usd: 1 }, headers: { "idempotency-key": crypto.randomUUID() } }),
  putPrice: () => ({ body: { multiplier: 3 } }),
  putEndUserDefaults: () => ({ body: {} }),
  putUsageKeys: () => ({ body: { keys: ["order"] } }),
  putTool: () => ({ body: definition }),
  putMcpServer: () => ({ body: { url: `https://${ESTATE_HOST}/new` } }),
  testTool: () => ({ body: { input: { id: "1" } } }),
  uploadFile: () => ({ query: "?name=new.txt", body: "new", headers: { "content-type": "text/plain" } }),
  createWebhook: () => ({ body: { url: `https://${ESTATE_HOST}/new/${crypto.randomUUID()}` } }),
  updateWebhook: () => ({ body: { description: "new" } }),
  patchTurn: () => ({ body: { max_cost_usd: 9 } }),
  decideCall: () => ({ body: { decision: "deny" } }),
  sendCallResult: () => ({ body: { output: "new" } }),
  renewCall: () => ({ body: { takes: 1 } }),
  replayEvents: () => ({ body: { from: "2026-01-01T00:00:00Z" } }),
  estimateTurn: ({ space, canary, references }) => ({
    body: { space, end_user_ref: canary, text: "new", conversation: references.conversation, files: references.files },
  }),
  createWatchToken: () => ({ body: {} }),
  putUsageExport: () => ({ body: { enabled: true } }),
  createPortalSession: () => ({ body: { scopes: ["usage", "turns"] } }),
  createTurn: ({ space, canary, references }) => ({
    body: { space, end_user_ref: canary, text: "new", conversation: references.conversation, files: references.files },
    headers: { "idempotency-key": "new" },
  }),
  createResponse: ({ space, canary, references }) => ({
    body: {
      model: space,
      safety_identifier: canary,
      input: [{ role: "user", content: [...filesOf(references), { type: "input_text", text: "new" }] }],
      conversation: references.conversation,
      background: true,
    },
    headers: { "idempotency-key": "new response" },
  }),
  createChatCompletion: ({ space, canary, references }) => ({
    body: {
      model: space,
      user: canary,
      messages: [{ role: "user", content: "new" }],
      stream: true,
      conversation: references.conversation,
    },
    headers: { "idempotency-key": "new completion" },
  }),
  createMessage: ({ space, canary, references }) => ({
    body: {
      model: space,
      max_tokens: 100,
      metadata: { user_id: canary },
      messages: [{ role: "user", content: [...sourcesOf(references), { type: "text", text: "new" }] }],
      stream: true,
    },
    headers: { "idempotency-key": "new message" },
  }),
  countMessageTokens: ({ space }) => ({ body: { model: space, messages: [{ role: "user", content: "new" }] } }),
}

const filesOf = ({ files }: Estate["references"]) =>
  [files ?? []].flat().map((file_id) => ({ type: "input_file", file_id }))

const sourcesOf = ({ files }: Estate["references"]) =>
  [files ?? []].flat().map((file_id) => ({ type: "document", source: { type: "file", file_id } }))

/** A call of an operation that succeeds for the estate's owner. */
export function callOfOperation(operation: V1Operation, estate: Estate) {
  const call = CALLS[operation.id]?.(estate) ?? {}
  if ((operation.body || operation.upload) && call.body === undefined) {
    throw new Error(`${operation.id}: say in test/harness/estate.ts what it is called with`)
  }
  return {
    method: operation.method.toUpperCase(),
    path: pathOf(operation, estate) + (call.query ?? ""),
    body: call.body,
    headers: call.headers ?? {},
  }
}
