import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { serveCustomer } from "../harness/customer.ts"
import { dumpTables } from "../harness/dump.ts"
import { ESTATE_HOST, leavesWhole } from "../harness/estate.ts"
import { idsIn, OF_OWN_WORDS } from "../harness/operations.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "../harness/owner-calls.ts"
import type { Session } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let estate: OwnerEstate
let owner: Session
let stranger: Session
/** True if the estate is still complete, so that the next test can reuse it. */
let isWhole = false
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { host: ESTATE_HOST })
})
beforeEach(async () => {
  if (isWhole) return
  estate = await createOwnerEstate(world)
  owner = estate.owner
  stranger = await world.signIn(await createUser(world.sql, { name: "Stranger" }))
  isWhole = true
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

describe.each(ownerOperations.map((operation) => [operation.id, operation] as const))(
  "The operation %s",
  (_id, operation) => {
    test("The operation needs a session and our own pages, and shows no other user's data", async () => {
      const call = callOf(operation)
      const before = await dumpTables(world)
      expect(await ask(owner, call, { cookie: null })).toMatchObject({ status: 401, code: "SESSION_REQUIRED" })
      const key = { cookie: null, authorization: `Bearer ${estate.client.key}` }
      expect((await ask(owner, call, key)).status, "an API key is not a session").toBe(401)
      if (call.method !== "GET") {
        for (const site of ["cross-site", "same-site", "none"]) {
          const crossed = await ask(owner, call, { "sec-fetch-site": site })
          expect(crossed, site).toMatchObject({ status: 403, code: "CROSS_ORIGIN" })
        }
      }
      if (namesThings(operation)) {
        const foreign = await ask(stranger, call)
        expect(foreign).toMatchObject({ status: 404, code: "NOT_FOUND" })
        expect(foreign.added).not.toContain(estate.canary)
        if (hasModes(operation))
          expect(await ask(owner, forTests(call))).toMatchObject({ status: 404, code: "NOT_FOUND" })
      } else if (call.method === "GET") {
        expect((await ask(stranger, call)).added).not.toContain(estate.canary)
        if (hasModes(operation)) expect((await ask(owner, forTests(call))).added).not.toContain(estate.canary)
      }
      await world.settled()
      expect(await dumpTables(world), "nothing was written").toEqual(before)

      // The caller was the cause of the refusal, not the call.
      isWhole = leavesWhole(operation)
      const own = await ask(owner, call)
      expect(WITHOUT_A_FACTOR.includes(operation.id) ? [404, 409] : [200, 201, 202], own.text).toContain(own.status)
      await world.settled()
    })
  },
)

const listsOfMine = ["listSpaces", "listTurns", "listWebhooks", "listEvents", "listEndUsers"]
test.each(ownerOperations.filter(({ id }) => listsOfMine.includes(id)).map((one) => [one.id, one] as const))(
  "The list %s shows its owner their own data",
  async (_id, operation) => {
    expect((await ask(owner, callOf(operation))).added).toContain(estate.canary)
  },
)
