import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { serveCustomer } from "../harness/customer.ts"
import { dumpTables } from "../harness/dump.ts"
import { ESTATE_HOST, leavesWhole } from "../harness/estate.ts"
import { inBatches, keepRows } from "../harness/keep-rows.ts"
import { idsIn, OF_OWN_WORDS } from "../harness/operations.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "../harness/owner-calls.ts"
import type { Session } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let estate: OwnerEstate
let owner: Session
let stranger: Session
let restore: () => Promise<void>
/** The answers to calls that must be refused, and to reads by another user, by operation. */
const answers = new Map<string, Attempts>()
/** The rows before all of these calls, and after them. */
let rows: { before: unknown; after: unknown }
/** True if a test may have used up something that a later one needs. */
let isUsedUp = false
let asked: Promise<void> | undefined

beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { host: ESTATE_HOST })
  estate = await createOwnerEstate(world)
  owner = estate.owner
  stranger = await world.signIn(await createUser(world.sql, { name: "Stranger" }))
  restore = await keepRows(world)
})

/** Sends all calls that write nothing. One world answers all of them, so the first test sends them. */
async function askAll(): Promise<void> {
  const before = await dumpTables(world)
  await inBatches(ownerOperations, async (operation) => {
    answers.set(operation.id, await attempt(operation))
  })
  rows = { before, after: await dumpTables(world) }
}

beforeEach(() => {
  asked ??= askAll()
  return asked
})
afterEach(async () => {
  if (!isUsedUp) return
  await restore()
  // The operation may have changed the browser's cookie.
  owner = await world.signIn(estate.client.userId)
  isUsedUp = false
})
afterAll(() => world.close())

type Operation = (typeof ownerOperations)[number]

const callOf = (operation: Operation) => ownerCallOf(operation, estate)

async function ask(browser: Session, { method, path, body, headers }: ReturnType<typeof callOf>, more: object = {}) {
  const response = await browser.call(method, path, body, { ...headers, ...more })
  const text = await response.text()
  const code = text.startsWith("{") ? (JSON.parse(text) as { code?: string }).code : undefined
  const sent = Object.values(estate.ids).filter(
    (id) => id.includes(estate.canary) && path.includes(encodeURIComponent(id)),
  )
  return { status: response.status, code, text, added: sent.reduce((rest, id) => rest.replaceAll(id, ""), text) }
}

/** The same call for test data, which the estate does not have. */
const forTests = (call: ReturnType<typeof callOf>) => ({
  ...call,
  path: `${call.path}${call.path.includes("?") ? "&" : "?"}test=true`,
})

const hasModes = ({ query }: Operation) => query !== undefined && "test" in ((query as { shape?: object }).shape ?? {})

/** The estate's owner has no second factor, and none that awaits confirmation. */
const WITHOUT_A_FACTOR = ["confirmSecondFactor", "removeSecondFactor"]

/** References in bodies count as ids too. */
const namesThings = ({ id, path }: Operation) =>
  (idsIn(path).length > 0 && !OF_OWN_WORDS.test(id)) || id === "createChatTurn" || id === "estimateChatTurn"

type Attempts = Awaited<ReturnType<typeof attempt>>

/** Calls an operation without a session, with a key, from other sites, and for another user or for test data. */
async function attempt(operation: Operation) {
  const call = callOf(operation)
  const isRead = call.method === "GET"
  const key = { cookie: null, authorization: `Bearer ${estate.client.key}` }
  const crossed = []
  for (const site of isRead ? [] : ["cross-site", "same-site", "none"]) {
    crossed.push({ site, ...(await ask(owner, call, { "sec-fetch-site": site })) })
  }
  const canAsk = namesThings(operation) || isRead
  return {
    withoutSession: await ask(owner, call, { cookie: null }),
    withKey: await ask(owner, call, key),
    crossed,
    foreign: canAsk ? await ask(stranger, call) : null,
    tests: canAsk && hasModes(operation) ? await ask(owner, forTests(call)) : null,
  }
}

test("No refused call and no read of another user writes a row", () => {
  expect(rows.after).toEqual(rows.before)
})

/** Calls that take something away come last, because no test restores deleted files. */
const sorted = ownerOperations.toSorted((one, other) => Number(leavesWhole(other)) - Number(leavesWhole(one)))

test.each(sorted.map((operation) => [operation.id, operation] as const))(
  "The operation %s needs a session and our own pages, and shows no other user's data",
  async (id, operation) => {
    const { withoutSession, withKey, crossed, foreign, tests } = answers.get(id) as Attempts
    expect(withoutSession).toMatchObject({ status: 401, code: "SESSION_REQUIRED" })
    expect(withKey.status, "an API key is not a session").toBe(401)
    expect(crossed.length).toBe(operation.method === "get" ? 0 : 3)
    for (const { site, ...answer } of crossed) {
      expect(answer, site).toMatchObject({ status: 403, code: "CROSS_ORIGIN" })
    }
    if (namesThings(operation)) expect(foreign).toMatchObject({ status: 404, code: "NOT_FOUND" })
    if (namesThings(operation) && tests) expect(tests).toMatchObject({ status: 404, code: "NOT_FOUND" })
    for (const answer of [foreign, tests]) expect(answer?.added ?? "").not.toContain(estate.canary)

    // The caller was the cause of the refusal, not the call.
    isUsedUp = !leavesWhole(operation)
    const own = await ask(owner, callOf(operation))
    expect(WITHOUT_A_FACTOR.includes(id) ? [404, 409] : [200, 201, 202], own.text).toContain(own.status)
  },
)

const listsOfMine = ["listSpaces", "listTurns", "listWebhooks", "listEvents", "listEndUsers"]
test.each(ownerOperations.filter(({ id }) => listsOfMine.includes(id)).map((one) => [one.id, one] as const))(
  "The list %s shows its owner their own data",
  async (_id, operation) => {
    expect((await ask(owner, callOf(operation))).added).toContain(estate.canary)
  },
)
