import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import type * as z from "zod"
import { isThorough } from "../harness/crash.ts"
import { serveCustomer } from "../harness/customer.ts"
import { dumpTables } from "../harness/dump.ts"
import { callOfOperation, createEstate, ESTATE_HOST, type Estate, leavesWhole } from "../harness/estate.ts"
import { createIntruders, type Intruder } from "../harness/intruders.ts"
import { inBatches, keepRows } from "../harness/keep-rows.ts"
import { idsIn, OF_OWN_WORDS, type V1Operation, v1Operations } from "../harness/operations.ts"
import { makeWebhook } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const { operations: all, others } = v1Operations()
const operations = all.filter(({ open }) => !open)

let world: World
let estate: Estate
let restore: () => Promise<void>
let intruders: Intruder[]
/** The answers to refused calls and to reads of all intruders, by operation. */
const answers = new Map<string, Intrusion[]>()
/** The rows and the customer's requests before all of these calls, and after them. */
let marks: { before: unknown; after: unknown }
/** True if a test may have used up something that a later one needs. */
let isUsedUp = false

let customer: ReturnType<typeof serveCustomer>
let asked: Promise<void> | undefined

beforeAll(async () => {
  world = await createWorld()
  customer = serveCustomer(world, { host: ESTATE_HOST })
  estate = await createEstate(world)
  intruders = await createIntruders(world, estate)
  restore = await keepRows(world)
})

/** Sends all calls that write nothing. One world answers all of them, so the first test sends them. */
async function askAll(): Promise<void> {
  const mark = async () => ({ rows: await dumpTables(world), requests: customer.requests.length })
  const before = await mark()
  const tries = operations.flatMap((operation, place) => quietTriesOf(operation, place))
  await inBatches(tries, async ({ operation, who, refused, key }) => {
    const call = callOfOperation(operation, estate)
    const answer = await intrude(key, call)
    const head = call.method === "GET" ? (await intrude(key, { ...call, method: "HEAD" })).status : answer.status
    answers.set(operation.id, [...(answers.get(operation.id) ?? []), { who, refused, head, ...answer }])
  })
  marks = { before, after: await mark() }
}

beforeEach(() => {
  asked ??= askAll()
  return asked
})
afterEach(async () => {
  if (isUsedUp) await restore()
  isUsedUp = false
})
afterAll(() => world.close())

type Intrusion = Omit<Intruder, "key"> & Awaited<ReturnType<typeof intrude>> & { head: number }

const HOUR_MS = 3_600_000
/**
 * All intruders in the thorough tier; otherwise one in four, so that any four consecutive
 * operations meet them all.
 */
const someOf = <Who>(all: Who[], place: number) => all.filter((_, at) => isThorough || (at + place) % 4 === 0)

/**
 * The answer to an intruder without the values that they sent, so that only the service's own text
 * is left.
 */
async function intrude(key: string, call: ReturnType<typeof callOfOperation>) {
  const client = world.createClient(0, key)
  const headers = key === "" ? { ...call.headers, authorization: "" } : call.headers
  const response = await client.call(call.method, call.path, call.body, headers)
  const text = await response.text()
  const error = text.startsWith("{") ? (JSON.parse(text) as { error?: { code: string } }).error : undefined
  const calls = /pg;[^,]*calls=(\d+)/.exec(response.headers.get("server-timing") ?? "")?.[1]
  const sent = Object.values(estate.ids).filter(
    (id) => id.includes(estate.canary) && call.path.includes(encodeURIComponent(id)),
  )
  const added = sent.reduce((rest, id) => rest.replaceAll(id, ""), text)
  return { status: response.status, code: error?.code, pgCalls: Number(calls), added }
}

const forgetUses = ({ userId }: TestClient) =>
  world.sql("update api_keys set last_used_at = null where user_id = $1", [userId])

async function usesOf({ userId }: TestClient): Promise<string[]> {
  const query = "select last_used_at as at from api_keys where user_id = $1 and last_used_at is not null"
  return (await world.sql<{ at: string }>(query, [userId])).map(({ at }) => at)
}

/** True if the operation names existing resources. References in bodies count as ids too. */
const namesThings = ({ id, path }: V1Operation) =>
  (idsIn(path).length > 0 && !OF_OWN_WORDS.test(id)) ||
  /^(create(Turn|Response|ChatCompletion|Message)|estimateTurn|countMessageTokens)$/.test(id)

/** The calls of an operation that must not write: by intruders that it refuses, and reads. */
const quietTriesOf = (operation: V1Operation, place: number) =>
  (namesThings(operation) ? someOf(intruders, place) : intruders)
    .filter(({ refused }) => namesThings(operation) || refused || operation.method === "get")
    .map((intruder) => ({ operation, ...intruder }))

test("Every route of /v1 is an operation", () => {
  expect(operations.length).toBeGreaterThan(25)
  expect(others).toEqual([])
})

test("No refused call and no read of an intruder writes a row or calls a tool", async () => {
  expect(marks.after).toEqual(marks.before)
  const foreign = "select 1 from refused_requests r join api_keys k using (key_id) where k.user_id <> r.user_id"
  expect(await world.sql(foreign), "a refusal is noted for the owner of its key").toEqual([])
})

function expectRefusal({ who, status, code, refused, head, pgCalls, added }: Intrusion, denied: object) {
  expect({ status, code }, who).toEqual(refused ? { status: refused.status, code: refused.code } : denied)
  if (refused?.io === false) expect(pgCalls, `${who}: no I/O`).toBe(0)
  expect(added, who).not.toContain(estate.canary)
  expect(head, who).toBe(status)
}

/** Calls that take something away come last, because no test restores deleted files. */
const named = operations
  .filter(namesThings)
  .toSorted((one, other) => Number(leavesWhole(other)) - Number(leavesWhole(one)))

test.each(named.map((operation) => [operation.id, operation] as const))(
  "The operation %s answers other accounts with 404",
  async (id, operation) => {
    for (const answer of answers.get(id) ?? []) {
      // Operations on the whole account refuse a narrower key because of its scope.
      const isDenied = answer.status === 403 && operation.errors.includes("SCOPE_DENIED")
      expectRefusal(answer, isDenied ? { status: 403, code: "SCOPE_DENIED" } : { status: 404, code: "NOT_FOUND" })
    }
    expect(answers.get(id)?.length).toBeGreaterThan(1)

    // The key was the cause of the refusal, not the call.
    const { client } = estate
    isUsedUp = !leavesWhole(operation)
    await forgetUses(client)
    const at = world.clock.now().toISOString()
    const call = callOfOperation(operation, estate)
    const response = await client.call(call.method, call.path, call.body, call.headers)
    const own = NEED_A_WAITING_TURN.includes(operation.id) ? [409, 422] : [200, 201, 202]
    expect(own, await response.clone().text()).toContain(response.status)
    expect(await usesOf(client), "the key's use is recorded").toEqual([at])
  },
)

/** The estate's turn does not wait, so the owner gets another refusal. */
const NEED_A_WAITING_TURN = ["patchTurn", "decideCall", "sendCallResult", "renewCall"]

/** Lists with the same content for every caller, or with months only, and lists whose content the path names. */
const FOR_ALL = ["listModels", "listStatements", "listEndUserLedger", "listEndUserDefaults"]

/** Operations without ids: all data that they show or make belongs to the caller. */
test.each(operations.filter((operation) => !namesThings(operation)).map((one) => [one.id, one] as const))(
  "The list %s shows only the caller's own data",
  async (id, operation) => {
    for (const { refused, ...answer } of answers.get(id) ?? []) {
      if (refused) expectRefusal({ refused, ...answer }, {})
      else expect(answer.added, answer.who).not.toContain(estate.canary)
    }
    isUsedUp = !leavesWhole(operation)
    for (const { who, refused, key } of operation.method === "get" ? [] : intruders) {
      if (refused) continue
      expect((await intrude(key, callOfOperation(operation, estate))).added, who).not.toContain(estate.canary)
    }
    await forgetUses(estate.client)
    const own = await intrude(estate.client.key, callOfOperation(operation, estate))
    expect(own.status).toBeLessThan(300)
    expect(await usesOf(estate.client), "the key's use is recorded").toEqual([world.clock.now().toISOString()])
    if (id.startsWith("list") && !FOR_ALL.includes(id)) expect(own.added, "its owner sees it").toContain(estate.canary)
  },
)

/** Fields of queries and bodies, by name, that never name another caller's resource. */
const PLAIN = new Set(
  `limit after_id before_id wait created_after created_before from to archived q group_by format state name title bom manifest tools mcp_servers secrets metadata model
  instructions time_zone profile profile_keys temperature reasoning service_tier stop store response_format max_output_tokens max_steps timeout_seconds history builtin_tools image_model subagents value description
  input_schema request answers_later identity required url headers allowed_tools input text messages tool_choice parallel_tool_calls results max_cost_usd events ping enabled event_type type order sort direction from to
  include_delivered stream starting_after include_obfuscation blocked daily_usd monthly_usd rate
  text_days step_days event_days attempt_days expires_in include approvals approval on_limit max_wait_seconds waiting decision message takes
  tool multiplier per_model per_turn_usd rounding begins_at price prepaid low_balance_usd amount_usd note reason keys key_id
  scopes allowed_origins return_url theme lang overlap_seconds version`.split(/\s+/),
)

const fieldsOf = (schema: z.ZodType | undefined) => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

test("Every field that names a resource is known to these tests", () => {
  const names = operations.flatMap(({ query, body }) => [...fieldsOf(query), ...fieldsOf(body)])
  const unknown = names.filter((name) => !PLAIN.has(name) && !(name in estate.references))
  expect(unknown, "put them into PLAIN, or into the references of test/harness/estate.ts").toEqual([])
})

const filters = operations.flatMap((operation) =>
  fieldsOf(operation.query)
    .filter((name) => !PLAIN.has(name))
    .map((name) => [operation.id, name, operation] as const),
)

test.each(filters)(
  "The parameter %s reveals nothing to other callers who send its %s",
  async (_id, name, operation) => {
    for (const { who, refused, key } of intruders) {
      if (refused) continue
      const own = await ownerOf(key)
      // The rest of the path is the intruder's own, so that only the filter names the other account's resource.
      const call = callOfOperation(operation, own)
      const value = String(estate.references[name])
      const { status, added } = await intrude(own.client.key, { ...call, path: `${call.path}?${name}=${value}` })
      expect([200, 403, 404, 422], who).toContain(status)
      expect(added, who).not.toContain(estate.canary)
    }
  },
)

/** The holder of this key, with an estate as far as the key's scope allows. Each key makes it once. */
const owners = new Map<string, Promise<Estate>>()
function ownerOf(key: string): Promise<Estate> {
  const known = owners.get(key) ?? makeOwner(key)
  owners.set(key, known)
  return known
}

async function makeOwner(key: string): Promise<Estate> {
  const client = world.createClient(0, key)
  const { key: me } = (await (await client.call("GET", "/v1/me")).json()) as { key: { space: string | null } }
  const space = me.space ?? (await client.space())
  const turn = await turnIn(client, space)
  const webhook = await makeWebhook(client, { url: `https://${ESTATE_HOST}/own/${crypto.randomUUID()}` })
  return {
    ...estate,
    client,
    space,
    ids: {
      ...estate.ids,
      "spaces/{space_id}": space,
      "turns/{turn_id}": turn,
      // An id of a response differs from its turn's only in the prefix.
      "responses/{response_id}": `resp_${String(turn).slice("turn_".length)}`,
      "models/{space_id}": space,
      "webhooks/{webhook_id}": webhook.webhook_id,
    },
  }
}

async function turnIn(client: TestClient, space: string): Promise<string> {
  return ((await (await client.sendTurn({ space })).json()) as { turn_id: string }).turn_id
}

test.each([["files"], ["conversation"], ["space"]])("A turn cannot name another account's %s", async (name) => {
  const others = intruders.filter(({ refused }) => !refused)
  const callers = await Promise.all(others.map(async ({ who, key }) => ({ who, ...(await ownerOf(key)) })))
  const before = await dumpTables(world)
  for (const { who, client, space } of callers) {
    const body = { space, end_user_ref: estate.canary, text: "mine", [name]: estate.references[name] }
    for (const path of ["/v1/turns", "/v1/turns/estimate"]) {
      const response = await client.call("POST", path, body, { "idempotency-key": "mine" })
      expect(response.status, who).toBe(404)
    }
  }
  expect(await dumpTables(world)).toEqual(before)
})

test("A key that expires between two requests is refused at once", async () => {
  const expiresAt = new Date(world.clock.ms() + HOUR_MS)
  const key = await world.makeKey(estate.client.userId, { scope: "all", expiresAt })
  const client = world.createClient(0, key.value)
  expect((await client.call("GET", "/v1/me")).status).toBe(200)
  await world.advance(HOUR_MS)
  expect((await client.call("GET", "/v1/me")).status).toBe(401)
})
