import { afterAll, beforeAll, expect, test } from "vitest"
import { createPerson, postLogin } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

const PASSWORD = "correct horse battery staple"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface Entry {
  action: string
  actor: number | null
  subject: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  address: string | null
}
const entriesSince = async (last: number) =>
  world.sql<Entry>(
    `select action, actor_user_id::int as actor, subject_type || ' ' || subject_id as subject, before, after, address
     from audit_log where audit_id > $1 order by audit_id`,
    [last],
  )
const lastEntry = async () =>
  Number((await world.sql<{ id: string }>("select coalesce(max(audit_id), 0) as id from audit_log"))[0]?.id)

test("Creating, changing, rotating and ending a key are each audited once, without its value", async () => {
  const { userId } = await createPerson(world)
  const browser = await world.signIn(userId)
  const before = await lastEntry()
  const [, { key_id, value }] = await browser.json("POST", "/api/account/keys", { name: "Server" })
  const key = `/api/account/keys/${key_id}`
  await browser.json("PATCH", key, { name: "Renamed" })
  await browser.json("PATCH", key, { name: "Renamed" })
  const [, rotated] = await browser.json("POST", `${key}/rotate`, {})
  for (const _ of [1, 2]) await browser.json("POST", `${key}/revoke`)
  const entries = await entriesSince(before)
  expect(entries.map(({ action, actor, subject }) => [action, actor, subject])).toEqual(
    ["key.create", "key.update", "key.rotate", "key.revoke"].map((action) => [action, userId, `key ${key_id}`]),
  )
  expect(entries[1]).toMatchObject({ before: { name: "Server" }, after: { name: "Renamed" } })
  const [hashes] = await world.sql<{ hash: string }>(
    "select encode(hash, 'hex') as hash from api_keys where key_id = $1",
    [key_id],
  )
  for (const secret of [value, rotated.value, hashes?.hash]) expect(JSON.stringify(entries)).not.toContain(secret)
})

test("Sign-ins of admins are audited, and sign-ins of other users are not", async () => {
  const admin = await createPerson(world, { password: PASSWORD, role: "admin" })
  const user = await createPerson(world, { password: PASSWORD })
  const before = await lastEntry()
  for (const { email } of [admin, user]) await postLogin(world, email, PASSWORD, "203.0.113.5")
  await postLogin(world, admin.email, "wrong", "203.0.113.5")
  expect(await entriesSince(before)).toEqual([
    {
      action: "user.sign_in",
      actor: admin.userId,
      subject: `user ${admin.userId}`,
      before: null,
      after: { session_id: expect.stringMatching(/^ses_/), user_agent: null },
      address: "203.0.113.5",
    },
  ])
})

test("Exports of whole lists by admins and owners are audited", async () => {
  const admin = await createPerson(world, { role: "admin" })
  const browser = await world.signIn(admin.userId)
  const client = await world.createAccount()
  await client.runTurn({ space: await client.space() })
  const before = await lastEntry()
  await (await browser.call("GET", "/api/admin/users?format=csv&role=admin")).text()
  await (await browser.call("GET", "/api/admin/users?format=json")).text()
  await (await client.call("GET", "/v1/usage?format=csv")).text()
  await (await client.call("GET", "/v1/end-users/customer-1/export")).text()
  await (await client.call("GET", "/v1/end-users/nobody/export")).text()
  const entries = await entriesSince(before)
  expect(entries.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
    ["export", admin.userId, "export users"],
    ["export", client.userId, "export usage-by-day"],
    ["export", client.userId, "export end-user"],
  ])
  expect(entries[0]?.after).toMatchObject({ query: { format: "csv", role: "admin" } })
  expect(entries[2]?.after).toMatchObject({ key_id: expect.stringMatching(/^key_/) })
  expect(JSON.stringify(entries)).not.toContain("customer-1")
})

test("An erasure is audited with its receipt, and a repair of the books with its finding", async () => {
  const client = await world.createAccount()
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  await client.runTurn({ space: await client.space() })
  await world.sql("update wallets set held_credit_micros = 7 where user_id = $1", [client.userId])
  const before = await lastEntry()
  const erased = await world.createClient(client.userId, value).call("DELETE", "/v1/end-users/customer-1")
  const { erasure_id } = (await erased.json()) as { erasure_id: string }
  const [entry] = await entriesSince(before)
  expect(entry).toMatchObject({ action: "end_user.erase", actor: client.userId, subject: `erasure ${erasure_id}` })
  expect(JSON.stringify(entry)).not.toContain("customer-1")
  await world.advance(2 * 3_600_000)
  await world.sweep()
  const repaired = (await entriesSince(before)).filter(({ action }) => action === "books.repair")
  expect(repaired).toHaveLength(1)
  expect(repaired[0]).toMatchObject({ actor: null, after: { kind: "held", user_id: client.userId } })
})

test("A reconciliation by an admin is audited", async () => {
  const admin = await createPerson(world, { role: "admin" })
  const browser = await world.signIn(admin.userId)
  const before = await lastEntry()
  const [status, { reconciliation_id }] = await browser.json("POST", "/api/admin/system/reconcile")
  expect(status).toBe(200)
  expect((await entriesSince(before)).map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
    ["books.reconcile", admin.userId, `reconciliation ${reconciliation_id}`],
  ])
})

test("A credit and a refund by an admin are audited with the entry that they booked", async () => {
  const admin = await createPerson(world, { role: "admin" })
  const browser = await world.signIn(admin.userId)
  const client = await world.createAccount()
  const { turn_id } = await client.runTurn({ space: await client.space() })
  const before = await lastEntry()
  const credit = { reason: "admin_grant", amount_usd: 1, note: "n" }
  await browser.json("POST", `/api/admin/users/${client.userId}/credits`, credit, { "idempotency-key": "a" })
  await browser.json("POST", `/api/admin/turns/${turn_id}/refund`, { note: "n" })
  expect((await entriesSince(before)).map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
    ["user.credit", admin.userId, `user ${client.userId}`],
    ["turn.refund", admin.userId, `turn ${turn_id}`],
  ])
})
