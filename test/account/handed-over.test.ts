import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { newId } from "../../src/base/ids.ts"
import {
  type AccountWithPeople,
  addMember,
  createAccountWithPeople,
  invite,
  KEYS,
  MEMBERS,
  MEMBERSHIPS,
  rolesOf,
} from "../harness/account-people.ts"
import { signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** An account that its own user has handed over to Ben, with the role that the own user keeps. */
async function handOver({ owner, member }: AccountWithPeople, role: "developer" | "billing") {
  const ben = await member("developer")
  expect((await owner.json("POST", "/api/account/transfer", { user_id: ben.userId, role }))[0]).toBe(200)
  return ben
}

const actionsOf = async (reader: { json: AccountWithPeople["owner"]["json"] }) =>
  (await reader.json("GET", "/api/account/activity?limit=100"))[1].items.map(({ action }: { action: string }) => action)

describe("An account that was handed over", () => {
  test("The new owner revokes the keys of the former one, whose role stays", async () => {
    const people = await createAccountWithPeople(world)
    const [, key] = await people.owner.json("POST", KEYS, { name: "Server", scope: "all" })
    const ben = await handOver(people, "developer")
    const path = `${MEMBERS}/${people.client.userId}`
    expect((await ben.json("PATCH", path, { role: "developer", keys: "revoke" }))[0]).toBe(200)
    const client = world.createClient(people.client.userId, key.value)
    expect((await client.call("GET", "/v1/me")).status).toBe(401)
    expect((await ben.json("GET", MEMBERS))[1].keys_to_decide).toEqual([])
  })

  test("Its own user who was removed returns by an invitation, with its role", async () => {
    const people = await createAccountWithPeople(world)
    const account = people.client.userId
    const email = `own@account-${account}.test`
    await world.sql("update users set email = $2, email_verified = true where user_id = $1", [account, email])
    const ben = await handOver(people, "billing")
    expect((await ben.json("DELETE", `${MEMBERS}/${account}?keys=revoke`))[0]).toBe(200)
    expect((await people.owner.json("GET", KEYS))[0]).toBe(403)
    const token = await invite(ben, email, "developer")
    expect((await people.owner.json("POST", MEMBERSHIPS, { token }))[0]).toBe(201)
    expect((await rolesOf(ben))[account]).toBe("developer")
    expect((await people.owner.json("POST", "/api/account/spaces", { title: "Back" }))[0]).toBe(201)
  })

  test("Its people see changes of the account's settings, but not the sign-ins of its own user", async () => {
    const people = await createAccountWithPeople(world)
    await people.owner.json("PUT", "/api/account/billing-details", { company: "Example GmbH" })
    await people.owner.json("PUT", "/api/account/limits", { low_balance_usd: 2 })
    const ben = await handOver(people, "billing")
    await world.sql(
      `insert into audit_log (actor_user_id, account_user_id, action, subject_type, subject_id, created_at)
        values ($1::bigint, $1::bigint, 'user.sign_in', 'user', $1::bigint::text, $2)`,
      [people.client.userId, world.clock.now()],
    )
    const seen = await actionsOf(ben)
    expect(seen).toContain("billing_details.put")
    expect(seen).toContain("account.limits")
    expect(seen).not.toContain("user.sign_in")
    expect(await actionsOf(people.owner)).toContain("user.sign_in")
  })

  test("The events of sign-ins of its own user are not in the feed or on Home of its people", async () => {
    const people = await createAccountWithPeople(world)
    const ben = await people.member("owner")
    const typesOf = async (reader: { json: AccountWithPeople["owner"]["json"] }) =>
      (await reader.json("GET", "/api/account/events?limit=100"))[1].data.map(({ type }: { type: string }) => type)
    await world.sql(
      `insert into events (event_id, user_id, test, type, data, created_at)
        values ($3, $1, false, 'account.locked', '{"address": "203.0.113.7"}', $2)`,
      [people.client.userId, world.clock.now(), newId("event", world.clock.now())],
    )
    expect(await typesOf(people.owner)).toContain("account.locked")
    expect(await typesOf(ben)).not.toContain("account.locked")
    const homeOf = async (reader: { call: AccountWithPeople["owner"]["call"] }) =>
      (await reader.call("GET", "/api/account/attention")).text()
    expect(await homeOf(people.owner)).toContain("203.0.113.7")
    expect(await homeOf(ben)).not.toContain("203.0.113.7")
  })
})

test("An operator sees which accounts keep no owner who can sign in if a user is blocked", async () => {
  const people = await createAccountWithPeople(world)
  const account = people.client.userId
  const ben = await people.member("developer")
  const admin = await signInAdmin(world)
  const accounts = async () =>
    (await admin.json("GET", `/api/admin/users/${ben.userId}`))[1].only_owner_of.map(
      ({ user_id }: { user_id: number }) => user_id,
    )
  expect(await accounts()).toEqual([])
  await people.owner.json("POST", "/api/account/transfer", { user_id: ben.userId, role: null })
  expect(await accounts()).toEqual([account])
  await world.sql("update users set disabled_at = $2 where user_id = $1", [ben.userId, world.clock.now()])
  expect(await accounts(), "while the user is disabled").toEqual([account])
  await world.sql("update users set disabled_at = null where user_id = $1", [ben.userId])
  await addMember(world, account, "owner")
  expect(await accounts()).toEqual([])
})

test("A key whose maker an operator has disabled is one to decide about", async () => {
  const { owner, member } = await createAccountWithPeople(world)
  const ben = await member("developer")
  const [, { key_id }] = await ben.json("POST", KEYS, { name: "Ben's", scope: "all" })
  expect((await owner.json("GET", MEMBERS))[1].keys_to_decide).toEqual([])
  await world.sql("update users set disabled_at = $2 where user_id = $1", [ben.userId, world.clock.now()])
  expect((await owner.json("GET", MEMBERS))[1].keys_to_decide).toMatchObject([{ key_id }])
})

test("A member signs out on a page of the account", async () => {
  const { member } = await createAccountWithPeople(world)
  const ben = await member("read_only")
  expect((await ben.call("POST", "/api/auth/logout")).status).toBeLessThan(300)
  expect((await ben.session.json("GET", "/api/account/me"))[0]).toBe(401)
})
