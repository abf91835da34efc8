import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { guardOf, OPERATION_POWERS } from "../../src/base/operation-powers.ts"
import { PROOF_MINUTES } from "../../src/base/powers.ts"
import type { Operation } from "../../src/http/operation.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { type AdminEstate, adminOperations, createAdminEstate, requestOf } from "../harness/admin-requests.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { ESTATE_HOST, leavesWhole } from "../harness/estate.ts"
import { keepRows } from "../harness/keep-rows.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "../harness/owner-calls.ts"
import type { Session } from "../harness/shared-space.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { host: ESTATE_HOST })
})
afterAll(() => world.close())

const PROOF = "REAUTHENTICATION_REQUIRED"
const NEW_ORIGIN = "https://other.customer.com"

interface Call {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string> | undefined
}

/** A second session of a user whose identity was last confirmed an hour ago. */
async function staleSession(userId: number): Promise<Session> {
  const session = await world.signIn(userId)
  await world.sql("update sessions set proved_at = proved_at - interval '1 hour' where session_id = $1", [
    session.sessionId,
  ])
  return session
}

async function codeOf(session: Session, { method, path, body, headers }: Call): Promise<string | undefined> {
  const response = await session.call(method, path, body, headers)
  const text = await response.text()
  const code = text.startsWith("{") ? (JSON.parse(text) as { code?: string }).code : undefined
  expect(code, "the session is still valid").not.toBe("SESSION_REQUIRED")
  return code
}

const SECRET_HEADER = { headers: { "x-key": "{{secrets.TOKEN}}" } }
const { name: _name, ...tool } = orderTool(ESTATE_HOST, { description: "new" })

/** By operation: the body for which it requires a fresh proof, if it does so only in some cases. */
const ASKING: Record<string, object> = {
  changePassword: { new_password: "a password of mine" },
  updateKey: { expires_at: null },
  createSpace: {
    title: "new",
    tools: [{ ...tool, name: "t", request: { method: "GET", url: NEW_ORIGIN, ...SECRET_HEADER } }],
  },
  putTool: { ...tool, request: { method: "GET", url: `${NEW_ORIGIN}/x` } },
  putMcpServer: { url: `${NEW_ORIGIN}/mcp` },
  updateWebhook: { url: `${NEW_ORIGIN}/hook` },
  updateUser: { email: "new-email@people.test" },
  updateTeam: {},
  decideRefund: { decision: "refund", answer: "Sorry." },
  putLimits: {},
  putManifest: { instructions: "new" },
  putRetention: { text_days: 29 },
  putSecret: { value: "newer" },
  putEndUserLimits: { daily_usd: 100, monthly_usd: 2 },
}

/** By operation without a body: the query for which it requires a fresh proof, and what must be true before. */
const ASKING_QUERY: Record<string, { query: string; prepare: (call: Call) => Promise<unknown> }> = {
  removeMember: {
    query: "?keys=keep",
    prepare: ({ path }) => {
      const keyOfMember = `update api_keys set made_by = $1
        where user_id = (select account_id from account_members where member_id = $1)`
      return world.sql(keyOfMember, [Number(path.split("/").at(-1))])
    },
  },
}

const ASKED_TASK = { approvals: { create_task: "always" } }

/** By operation: the body of a call that a proved session makes before, so that the body above loosens something. */
const BEFORE: Record<string, object> = {
  putLimits: { end_user_daily_usd: 5 },
  putManifest: ASKED_TASK,
  putRetention: { text_days: 30 },
  putSecret: { value: "older" },
  putEndUserLimits: { daily_usd: 1, monthly_usd: 2 },
}

/** By operation: the usual call, if the one of the estate asks. */
const USUAL: Record<string, (call: Call) => Call> = {
  putLimits: (call) => ({ ...call, body: { end_user_daily_usd: 1 } }),
  putManifest: (call) => ({ ...call, body: { ...ASKED_TASK, instructions: "new" } }),
  putSecret: (call) => ({ ...call, path: `${call.path}_NEW` }),
}

/** Operations that need a proof in every case that this account can produce. */
const ASKS_FIRST = ["changePassword", "updateTeam"]

async function expectGuarded(operation: Operation, session: Session, call: () => Promise<Call>) {
  const guard = guardOf(operation)
  if (guard?.when === undefined) {
    const code = await codeOf(session, await call())
    expect(code === PROOF, `${operation.id} answered ${code}`).toBe(guard !== null)
    return
  }
  const given = await call()
  const usual = USUAL[operation.id]?.(given) ?? given
  const before = BEFORE[operation.id]
  if (before) expect(await codeOf(await world.signIn(session.userId), { ...given, body: before })).toBeUndefined()
  const special = ASKING_QUERY[operation.id]
  await special?.prepare(given)
  const body = special ? {} : ASKING[operation.id]
  if (!body) throw new Error(`say in ASKING when ${operation.id} asks`)
  const plain = Object.keys(body).length === 0 && !before ? usual : { ...given, body }
  const asking = special ? { ...given, path: `${given.path}${special.query}` } : plain
  expect(await codeOf(session, asking), "in the case that it names").toBe(PROOF)
  if (!ASKS_FIRST.includes(operation.id)) {
    expect(await codeOf(session, usual), "in every other case").not.toBe(PROOF)
  }
}

describe("An owner's operations that need a recent proof", () => {
  let own: OwnerEstate
  let stale: Session
  let restore: () => Promise<void>
  let isUsedUp = false
  beforeAll(async () => {
    own = await createOwnerEstate(world)
    await world.sql("update api_keys set expires_at = now() + interval '30 days' where user_id = $1", [
      own.client.userId,
    ])
    restore = await keepRows(world)
    stale = await staleSession(own.client.userId)
  })
  beforeEach(async () => {
    if (!isUsedUp) return
    await restore()
    stale = await staleSession(own.client.userId)
    isUsedUp = false
  })

  /** Calls that take something away come last, because no test restores deleted files. */
  const sorted = ownerOperations.toSorted((one, other) => Number(leavesWhole(other)) - Number(leavesWhole(one)))

  test.each(sorted.map((operation) => [operation.id, operation] as const))(
    "Owner operation %s requires a new proof exactly where the table says so",
    async (_id, operation) => {
      const guard = guardOf(operation)
      const isRefused = guard !== null && guard.when === undefined
      isUsedUp = !isRefused && !leavesWhole(operation)
      await expectGuarded(operation, stale, async () => ownerCallOf(operation, own))
    },
  )
})

describe("An admin's operations that need a recent proof", () => {
  let estate: AdminEstate
  let stale: Session
  beforeAll(async () => {
    const made = await createAdminEstate(world, "powers")
    // Reports and reads can show the same turn.
    let turn: ReturnType<TestClient["runTurn"]> | undefined
    const runTurn: TestClient["runTurn"] = (body) => {
      turn ??= made.client.runTurn(body)
      return turn
    }
    estate = { ...made, client: { ...made.client, runTurn } }
    stale = await staleSession(estate.admin.userId)
  })

  test("The page linkIdentity requires a new proof too", async () => {
    const session = await staleSession(estate.client.userId)
    const call = { method: "GET", path: "/api/account/identities/link", headers: { "sec-fetch-site": "same-origin" } }
    expect(await codeOf(session, call)).toBe(PROOF)
  })

  test.each(adminOperations.map((operation) => [operation.id, operation] as const))(
    "Admin operation %s requires a new proof exactly where the table says so, and succeeds with it",
    async (_id, operation) => {
      await expectGuarded(operation, stale, () => requestOf(estate, operation))
      const guard = guardOf(operation)
      if (guard === null || guard.when !== undefined) return
      const { method, path, body, headers } = await requestOf(estate, operation)
      const { status } = await estate.admin.call(method, path, body, headers)
      expect(status).toBe(operation.answer.status)
    },
  )

  test("A user who is not an admin is refused because of the role before the proof is checked", async () => {
    const session = await staleSession(estate.client.userId)
    const body = { workspace_id: "w-mine", name: "Mine" }
    expect(await codeOf(session, { method: "POST", path: "/api/admin/workspaces", body })).toBe("ADMIN_REQUIRED")
  })
})

test("The table names only existing operations", () => {
  const ids = [...ownerOperations, ...adminOperations].map(({ id }) => id)
  const named = Object.values(OPERATION_POWERS).flatMap((table) => Object.keys(table))
  expect(named.filter((id) => !ids.includes(id))).toEqual(["linkIdentity"])
})

test("The database and the documents have the same maximum age of a proof", async () => {
  const [row] = await world.sql(`select extract(epoch from ${RELEASE}.proof_life())::int / 60 as minutes`)
  expect(row).toEqual({ minutes: PROOF_MINUTES })
})
