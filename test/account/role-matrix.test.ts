import { afterAll, beforeAll, expect, test } from "vitest"
import { MEMBER_ROLES, type MemberRole } from "../../src/base/member-roles.ts"
import { addMember } from "../harness/account-people.ts"
import { serveCustomer } from "../harness/customer.ts"
import { ESTATE_HOST, leavesWhole } from "../harness/estate.ts"
import { keepRows } from "../harness/keep-rows.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "../harness/owner-calls.ts"
import { createWorld, type World } from "../harness/world.ts"

/** Written by hand, so that no table of the service proves itself. */
const OWNERS_ONLY = [
  ...[
    "inviteMember",
    "revokeInvitation",
    "updateMember",
    "removeMember",
    "transferAccount",
    "putMemberRules",
    "keepKey",
  ],
  ...["endSharing", "eraseEndUser"],
]
const MONEY = [
  ...["putLimits", "putEndUserLimits", "putMembersLimit", "putPrice", "deletePrice", "putEndUserDefaults"],
  ...["putEndUserBilling", "creditEndUser", "putUsageExport", "requestRefund"],
  ...["putBudget", "deleteBudget", "putAnomaly", "putBillingDetails"],
]
/** Operations on the signed-in user, for every role. */
const OWN = [
  ...["listSessions", "endSession", "endSessions", "changePassword", "listIdentities", "unlinkIdentity"],
  ...["getSecondFactor", "beginSecondFactor", "confirmSecondFactor", "removeSecondFactor"],
  ...["listMemberships", "leaveAccount", "acceptInvitation"],
]

/** True if a role may call an operation. */
function may(role: MemberRole, { id, method }: { id: string; method: string }): boolean {
  if (role === "owner" || OWN.includes(id)) return true
  if (OWNERS_ONLY.includes(id)) return false
  if (MONEY.includes(id)) return role === "billing"
  if (method === "get" && id !== "exportEndUser") return true
  if (OF_OWNERS_KEY.includes(id)) return false
  return role === "developer"
}

let world: World
let own: OwnerEstate
let people: Record<MemberRole, number>
let restore: () => Promise<void>
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { host: ESTATE_HOST })
  own = await createOwnerEstate(world)
  const all = []
  for (const role of MEMBER_ROLES) all.push([role, await addMember(world, own.client.userId, role)])
  people = Object.fromEntries(all) as typeof people
  restore = await keepRows(world)
})
afterAll(() => world.close())

const sorted = ownerOperations.toSorted((one, other) => Number(leavesWhole(other)) - Number(leavesWhole(one)))

/** A member's own objects are others than the estate's. No test restores a deleted file. */
const MAY_FAIL = [...OWN, "getFileContent"]
/** The estate's key has an owner's rights, so a developer may not learn its value. */
const OF_OWNERS_KEY = ["updateKey", "rotateKey"]

test.each(MEMBER_ROLES)(
  "The role %s may call exactly the operations of its rights, by the service's decision",
  async (role) => {
    const wrong: string[] = []
    let session = await world.signIn(people[role])
    for (const operation of sorted) {
      const { method, path, body, headers } = ownerCallOf(operation, own)
      const page = { "x-turnpike-user": `${people[role]}/${own.client.userId}` }
      const before = await world.sql("select count(*)::int as n from audit_log")
      const response = await session.call(method, path, body, { ...headers, ...page })
      const text = await response.text()
      const code = text.startsWith("{") ? (JSON.parse(text) as { code?: string }).code : undefined
      const isRefused = response.status === 403 && code === "ROLE_REQUIRED"
      if (isRefused === may(role, operation)) wrong.push(`${operation.id}: ${response.status} ${code}`)
      const isOwn = OWN.includes(operation.id)
      if (!isRefused && response.status >= 400 && !MAY_FAIL.includes(operation.id)) {
        wrong.push(`${operation.id} fails: ${response.status} ${text.slice(0, 200)}`)
      }
      if (isRefused && (await world.sql("select count(*)::int as n from audit_log"))[0]?.n !== before[0]?.n) {
        wrong.push(`${operation.id} was refused and wrote`)
      }
      if (isRefused || (leavesWhole(operation) && !isOwn)) continue
      await restore()
      session = await world.signIn(people[role])
    }
    expect(wrong).toEqual([])
  },
)
