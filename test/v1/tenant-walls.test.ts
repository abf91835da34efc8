import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type * as z from "zod"
import { isThorough } from "../harness/crash.ts"
import { serveCustomer } from "../harness/customer.ts"
import { dumpTables } from "../harness/dump.ts"
import { callOfOperation, createEstate, ESTATE_HOST, type Estate, leavesWhole } from "../harness/estate.ts"
import { idsIn, OF_OWN_WORDS, type V1Operation, v1Operations } from "../harness/operations.ts"
import { makeWebhook } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const { operations: all, others } = v1Operations()
const operations = all.filter(({ open }) => !open)

let world: World
let customer: ReturnType<typeof serveCustomer>
let estate: Estate
let intruders: { who: string; refused?: (typeof INTRUDERS)[string]["refused"]; key: string }[]
/** True if the estate is still complete, so that the next test can reuse it. */
let isWhole = false
beforeAll(async () => {
  world = await createWorld()
  customer = serveCustomer(world, { host: ESTATE_HOST })
})
beforeEach(async () => {
  if (isWhole) return
  estate = await createEstate(world)
  const making = Object.entries(INTRUDERS).map(async ([who, { refused, make }]) => ({
    who,
    refused,
    key: await make(),
  }))
  intruders = await Promise.all(making)
  await world.settled()
  isWhole = true
})
afterAll(() => world.close())

const HOUR_MS = 3_600_000
const REFUSED = { status: 401, code: "INVALID_API_KEY" }

/** Every kind of intruder, and the answer of /v1 to a caller without a key. */
const INTRUDERS: Record<string, { refused?: { status: number; code: string; io?: false }; make(): Promise<string> }> = {
  "another account": { make: async () => (await stranger("all")).key },
  "another account's key of one space": {
    async make() {
      const { userId, space } = await stranger("all").then(async (all) => ({ ...all, space: await all.space() }))
      return (await world.makeKey(userId, { scope: "space", spaceId: await spaceId(space) })).value
    },
  },
  "a key of the account that made other spaces": { make: () => keyOf({ scope: "created" }) },
  "a key of the account for another space": {
    make: async () => keyOf({ scope: "space", spaceId: await spaceId(await ownersOther()) }),
  },
  "a test key of the account": { make: () => keyOf({ scope: "all", test: true }) },
  "a revoked key": {
    refused: REFUSED,
    async make() {
      const { key_id, value } = await world.makeKey(estate.client.userId, { scope: "all" })
      await world.sql("update api_keys set revoked_at = $1 where key_id = $2", [world.clock.now(), key_id])
      return value
    },
  },
  "an expired key": {
    refused: { status: 401, code: "API_KEY_EXPIRED" },
    make: () => keyOf({ scope: "all", expiresAt: new Date(world.clock.ms() - 1) }),
  },
  "a key of a closed account": {
    refused: REFUSED,
    async make() {
      const { userId, key } = await stranger("all")
      await world.sql("update users set disabled_at = $1 where user_id = $2", [world.clock.now(), userId])
      return key
    },
  },
  "a mistyped key": {
    refused: { ...REFUSED, io: false },
    make: async () => `${estate.client.key.slice(0, -1)}${estate.client.key.endsWith("a") ? "b" : "a"}`,
  },
  "no key": { refused: { ...REFUSED, io: false }, make: async () => "" },
}

/**
 * All intruders in the thorough tier; otherwise one in four, so that any four consecutive
 * operations meet them all.
 */
const someOf = <Who>(all: Who[], place: number) => all.filter((_, at) => isThorough || (at + place) % 4 === 0)

async function stranger(scope: "all" | "created"): Promise<TestClient> {
  const { userId } = await world.createAccount()
  return world.createClient(userId, (await world.makeKey(userId, { scope })).value)
}

const keyOf = async (key: Parameters<World["makeKey"]>[1]) => (await world.makeKey(estate.client.userId, key)).value
const ownersOther = async () => world.createClient(estate.client.userId, await keyOf({ scope: "all" })).space()
async function spaceId(slug: string): Promise<number> {
  const [row] = await world.sql<{ space_id: number }>("select space_id from spaces where slug = $1", [slug])
  return Number(row?.space_id)
}

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
  (idsIn(path).length > 0 && !OF_OWN_WORDS.test(id)) || /^(create(Turn|Response|ChatCompletion)|estimateTurn)$/.test(id)

test("Every route of /v1 is an operation", () => {
  expect(operations.length).toBeGreaterThan(25)
  expect(others).toEqual([])
})

describe.each(operations.filter(namesThings).map((operation, place) => [operation.id, operation, place] as const))(
  "The route %s",
  (_id, operation, place) => {
    test("The operation answers other accounts with 404 and changes nothing for them", async () => {
      const call = callOfOperation(operation, estate)
      const asked = customer.requests.length
      const before = await dumpTables(world)
      for (const { who, refused, key } of someOf(intruders, place)) {
        const answer = await intrude(key, call)
        // Operations on the whole account refuse a narrower key because of its scope.
        const isDenied = answer.status === 403 && operation.errors.includes("SCOPE_DENIED")
        const denied = isDenied ? { status: 403, code: "SCOPE_DENIED" } : { status: 404, code: "NOT_FOUND" }
        const { status, code } = refused ?? denied
        expect(answer, who).toMatchObject({ status, code })
        if (refused?.io === false) expect(answer.pgCalls, `${who}: no I/O`).toBe(0)
        expect(answer.added, who).not.toContain(estate.canary)
        if (call.method === "GET") expect((await intrude(key, { ...call, method: "HEAD" })).status, who).toBe(status)
      }
      await world.settled()
      expect(await dumpTables(world), "nothing was written").toEqual(before)
      const foreign = "select 1 from refused_requests r join api_keys k using (key_id) where k.user_id <> r.user_id"
      expect(await world.sql(foreign), "a refusal is noted for the owner of its key").toEqual([])
      expect(customer.requests.length, "no tool was called").toBe(asked)

      // The key was the cause of the refusal, not the call.
      const { client } = estate
      isWhole = leavesWhole(operation)
      await forgetUses(client)
      const at = world.clock.now().toISOString()
      const response = await client.call(call.method, call.path, call.body, call.headers)
      const own = NEED_A_WAITING_TURN.includes(operation.id) ? [409, 422] : [200, 201, 202]
      expect(own, await response.clone().text()).toContain(response.status)
      expect(await usesOf(client), "the key's use is recorded").toEqual([at])
    })
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
    const call = callOfOperation(operation, estate)
    let before = await dumpTables(world)
    for (const { who, refused, key } of intruders) {
      const answer = await intrude(key, callOfOperation(operation, estate))
      expect(answer.added, who).not.toContain(estate.canary)
      if (refused) expect(answer, who).toMatchObject({ status: refused.status, code: refused.code })
      if (refused?.io === false) expect(answer.pgCalls, who).toBe(0)
      const after = await dumpTables(world)
      if (refused || call.method === "GET") expect(after, who).toEqual(before)
      before = after
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
  `limit wait created_after created_before from to archived q group_by format state name title bom manifest tools mcp_servers secrets metadata model
  instructions temperature max_output_tokens max_steps timeout_seconds history builtin_tools image_model subagents value description
  input_schema request url headers allowed_tools input text max_cost_usd events enabled event_type type order from to
  include_delivered stream starting_after include_obfuscation blocked daily_usd monthly_usd
  text_days step_days event_days attempt_days expires_in include approvals approval on_limit max_wait_seconds waiting decision message takes
  tool multiplier per_model per_turn_usd rounding price prepaid low_balance_usd amount_usd note reason keys key_id
  scopes allowed_origins return_url theme`.split(/\s+/),
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
      const own = await ownerOf(key, operation)
      // The rest of the path is the intruder's own, so that only the filter names the other account's resource.
      const call = callOfOperation(operation, own)
      const value = String(estate.references[name])
      const { status, added } = await intrude(own.client.key, { ...call, path: `${call.path}?${name}=${value}` })
      expect([200, 403, 404, 422], who).toContain(status)
      expect(added, who).not.toContain(estate.canary)
    }
  },
)

/** The holder of this key, with an estate as far as the key's scope allows. */
async function ownerOf(key: string, { path }: { path: string } = { path: "" }): Promise<Estate> {
  const client = world.createClient(0, key)
  const { key: me } = (await (await client.call("GET", "/v1/me")).json()) as { key: { space: string | null } }
  const space = me.space ?? (await client.space())
  const turn = await turnIn(client, space)
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
      ...(path.includes("{webhook_id}") && {
        "webhooks/{webhook_id}": (
          await makeWebhook(client, { url: `https://${ESTATE_HOST}/own/${crypto.randomUUID()}` })
        ).webhook_id,
      }),
    },
  }
}

async function turnIn(client: TestClient, space: string): Promise<string> {
  return ((await (await client.sendTurn({ space })).json()) as { turn_id: string }).turn_id
}

test.each([["files"], ["conversation"], ["space"]])("A turn cannot name another account's %s", async (name) => {
  for (const { who, refused, key } of intruders) {
    if (refused) continue
    const { client, space } = await ownerOf(key)
    await world.settled()
    const before = await dumpTables(world)
    const body = { space, end_user_ref: estate.canary, text: "mine", [name]: estate.references[name] }
    for (const path of ["/v1/turns", "/v1/turns/estimate"]) {
      const response = await client.call("POST", path, body, { "idempotency-key": "mine" })
      expect(response.status, who).toBe(404)
    }
    expect(await dumpTables(world), who).toEqual(before)
  }
})

test("A key that expires between two requests is refused at once", async () => {
  const key = await keyOf({ scope: "all", expiresAt: new Date(world.clock.ms() + HOUR_MS) })
  const client = world.createClient(0, key)
  expect((await client.call("GET", "/v1/me")).status).toBe(200)
  await world.advance(HOUR_MS)
  expect((await client.call("GET", "/v1/me")).status).toBe(401)
})
