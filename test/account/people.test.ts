import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MEMBER_ROLES, type MemberRole, RIGHTS, type Right, ROLE_RIGHTS } from "../../src/base/member-roles.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import {
  actingFor,
  createAccountWithPeople,
  invite,
  KEYS,
  MEMBERS,
  MEMBERSHIPS,
  rolesOf,
} from "../harness/account-people.ts"
import { createPortalBrowser, portalJson, portalRefusalOf } from "../harness/portal.ts"
import { enrol } from "../harness/second-factor.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("The database decides by the same table of rights as the documents show", async () => {
  for (const role of [...MEMBER_ROLES, "none"]) {
    for (const right of Object.keys(RIGHTS) as Right[]) {
      const [row] = await world.sql(`select ${RELEASE}.role_may($1, $2) as may`, [role, right])
      const expected = right === "self" || (role !== "none" && ROLE_RIGHTS[role as MemberRole].includes(right))
      expect(row?.may, `${role} ${right}`).toBe(expected)
    }
  }
})

describe("A member who is removed", () => {
  test("A removed member's page loses its rights at its next request, and a changed role binds the next one", async () => {
    const { owner, member } = await createAccountWithPeople(world)
    const ben = await member("developer")
    const path = `${MEMBERS}/${ben.userId}`
    expect((await ben.json("GET", KEYS))[0]).toBe(200)
    expect((await owner.json("PATCH", path, { role: "read_only" }))[0]).toBe(200)
    expect(await ben.json("POST", "/api/account/spaces", { title: "x" })).toMatchObject([
      403,
      { code: "ROLE_REQUIRED", details: { role: "read_only", roles: ["owner", "developer"] } },
    ])
    expect((await ben.json("GET", KEYS))[0]).toBe(200)
    expect((await owner.json("DELETE", path))[0]).toBe(200)
    for (const [method, at, body] of [
      ["GET", "/api/account/me"],
      ["GET", KEYS],
      ["POST", "/api/account/spaces", { title: "x" }],
      ["GET", "/api/account/sessions"],
    ] as const) {
      expect(await ben.json(method, at, body), at).toMatchObject([403, { code: "NOT_A_MEMBER" }])
    }
    expect((await ben.session.json("GET", "/api/account/me"))[0]).toBe(200)
    expect(await owner.json("DELETE", path)).toMatchObject([404, { code: "NOT_FOUND" }])
  })

  test("The keys of a removed member end, or stay, as the owner decides", async () => {
    const { owner, member } = await createAccountWithPeople(world)
    for (const decision of ["revoke", "keep"] as const) {
      const ben = await member("developer")
      const [, key] = await ben.json("POST", KEYS, { name: "Ben's", scope: "all" })
      const path = `${MEMBERS}/${ben.userId}`
      expect(await owner.json("DELETE", path)).toMatchObject([
        409,
        { code: "MEMBER_HAS_KEYS", details: { keys: [{ key_id: key.key_id, role: "developer" }] } },
      ])
      expect((await ben.json("GET", KEYS))[0], "nothing was done").toBe(200)
      expect((await owner.json("DELETE", `${path}?keys=${decision}`))[0]).toBe(200)
      const [, after] = await owner.json("GET", `${KEYS}/${key.key_id}`)
      expect(after.revoked_at !== null).toBe(decision === "revoke")
      expect((await owner.json("GET", MEMBERS))[1].keys_to_decide).toEqual([])
    }
  })

  test("A key that the owner rotates without an overlap is no longer the member's", async () => {
    const { owner, member } = await createAccountWithPeople(world)
    const ben = await member("developer")
    const [, key] = await ben.json("POST", KEYS, { name: "Ben's" })
    expect((await owner.json("POST", `${KEYS}/${key.key_id}/rotate`, { overlap_seconds: 0 }))[0]).toBe(200)
    expect((await owner.json("DELETE", `${MEMBERS}/${ben.userId}`))[0]).toBe(200)
  })

  test("The old value that a removed member knows ends, or stays, as the owner decides, and the key works on", async () => {
    const { client, owner, member } = await createAccountWithPeople(world)
    for (const decision of ["revoke", "keep"] as const) {
      const ben = await member("developer")
      const [, key] = await ben.json("POST", KEYS, { name: "Ben's", scope: "all" })
      const [, rotated] = await owner.json("POST", `${KEYS}/${key.key_id}/rotate`, {})
      const path = `${MEMBERS}/${ben.userId}`
      expect(await owner.json("DELETE", path)).toMatchObject([
        409,
        { code: "MEMBER_HAS_KEYS", details: { keys: [{ key_id: key.key_id, known_value: "former" }] } },
      ])
      const statusOf = async (value: string) =>
        (await world.createClient(client.userId, value).call("GET", "/v1/me")).status
      expect(await statusOf(key.value), "nothing was done").toBe(200)
      expect((await owner.json("DELETE", `${path}?keys=${decision}`))[0]).toBe(200)
      expect(await statusOf(key.value)).toBe(decision === "revoke" ? 401 : 200)
      expect(await statusOf(rotated.value)).toBe(200)
      expect((await owner.json("GET", MEMBERS))[1].keys_to_decide).toEqual([])
    }
  })

  test("An old value of a member who left is one to decide about, and keeping it leaves a colleague's value alone", async () => {
    const { client, owner, member } = await createAccountWithPeople(world)
    const [ben, eve] = [await member("developer"), await member("developer")]
    const [, { key_id }] = await ben.json("POST", KEYS, { name: "Shared", scope: "all" })
    expect((await eve.json("POST", `${KEYS}/${key_id}/rotate`, {}))[0]).toBe(200)
    expect((await ben.session.json("DELETE", `${MEMBERSHIPS}/${client.userId}`))[0]).toBe(200)
    const toDecide = async () => (await owner.json("GET", MEMBERS))[1].keys_to_decide
    expect(await toDecide()).toMatchObject([{ key_id, known_value: "former", made_by: ben.name }])
    expect((await owner.json("POST", `${KEYS}/${key_id}/keep`))[0]).toBe(200)
    expect(await toDecide()).toEqual([])
    expect(await owner.json("DELETE", `${MEMBERS}/${eve.userId}`)).toMatchObject([
      409,
      { details: { keys: [{ key_id, known_value: "current" }] } },
    ])
    expect((await owner.json("POST", `${KEYS}/${key_id}/keep?user_id=${eve.userId}`))[0]).toBe(200)
    expect((await owner.json("DELETE", `${MEMBERS}/${eve.userId}`))[0]).toBe(200)
  })

  test("A stolen cookie removes a developer, but it keeps no key and removes no owner", async () => {
    const { owner, member } = await createAccountWithPeople(world)
    const [ben, eve] = [await member("developer"), await member("owner")]
    const [, { key_id }] = await ben.json("POST", KEYS, { name: "Ben's" })
    await world.sql("update sessions set proved_at = proved_at - interval '1 hour' where user_id = $1", [owner.userId])
    const path = `${MEMBERS}/${ben.userId}`
    for (const refused of [`${path}?keys=keep`, `${MEMBERS}/${eve.userId}`]) {
      expect(await owner.json("DELETE", refused), refused).toMatchObject([403, { code: "REAUTHENTICATION_REQUIRED" }])
    }
    expect(Object.keys(await rolesOf(owner))).toHaveLength(3)
    expect((await owner.json("DELETE", `${path}?keys=revoke`))[0]).toBe(200)
    expect((await owner.json("GET", `${KEYS}/${key_id}`))[1].revoked_at).not.toBeNull()
  })

  test("An owner who loses the role takes the own invitations along", async () => {
    const { client, owner, member, person } = await createAccountWithPeople(world)
    const ben = await member("owner")
    const eve = await person()
    const token = await invite(ben, eve.email, "owner")
    expect((await owner.json("PATCH", `${MEMBERS}/${ben.userId}`, { role: "developer" }))[0]).toBe(200)
    expect(await eve.session.json("POST", MEMBERSHIPS, { token })).toMatchObject([401, { code: "INVALID_TOKEN" }])
    expect(await rolesOf(owner)).toEqual({ [client.userId]: "owner", [ben.userId]: "developer" })
  })

  test("A member leaves, and the owners decide about the member's keys", async () => {
    const { client, owner, member } = await createAccountWithPeople(world)
    const ben = await member("developer")
    const [, key] = await ben.json("POST", KEYS, { name: "Ben's" })
    expect((await ben.session.json("DELETE", `${MEMBERSHIPS}/${client.userId}`))[0]).toBe(200)
    expect(await ben.json("GET", KEYS)).toMatchObject([403, { code: "NOT_A_MEMBER" }])
    expect((await owner.json("GET", MEMBERS))[1].keys_to_decide).toMatchObject([{ key_id: key.key_id }])
    expect((await owner.json("POST", `${KEYS}/${key.key_id}/keep`))[0]).toBe(200)
    expect((await owner.json("GET", MEMBERS))[1].keys_to_decide).toEqual([])
    expect(await owner.json("DELETE", `${MEMBERSHIPS}/${client.userId}`)).toMatchObject([409, { code: "LAST_OWNER" }])
  })
})

describe("The owner of an account", () => {
  test("If two owners remove each other at the same time, one stays", async () => {
    const { client, owner, member } = await createAccountWithPeople(world)
    const ben = await member("owner")
    const answers = await Promise.all([
      owner.json("DELETE", `${MEMBERS}/${ben.userId}?keys=keep`),
      ben.json("DELETE", `${MEMBERS}/${client.userId}?keys=keep`),
    ])
    expect(answers.map(([status]) => status).toSorted()).toEqual([200, 403])
    const left = answers[0]?.[0] === 200 ? owner : ben
    expect(Object.values(await rolesOf(left))).toEqual(["owner"])
    const only = left === owner ? client.userId : ben.userId
    expect(await left.json("DELETE", `${MEMBERS}/${only}`)).toMatchObject([409, { code: "LAST_OWNER" }])
  })

  test("A transfer makes another person the owner, and the former one keeps the own sign-in and the given role", async () => {
    const { client, owner, member } = await createAccountWithPeople(world)
    const ben = await member("billing")
    const [status, { keys_to_decide }] = await owner.json("POST", "/api/account/transfer", {
      user_id: ben.userId,
      role: "read_only",
    })
    expect(status).toBe(200)
    expect(keys_to_decide).toHaveLength(1)
    expect(await rolesOf(ben)).toEqual({ [client.userId]: "read_only", [ben.userId]: "owner" })
    expect(await owner.json("POST", "/api/account/spaces", { title: "x" })).toMatchObject([
      403,
      { code: "ROLE_REQUIRED" },
    ])
    expect((await owner.json("GET", "/api/account/sessions"))[0]).toBe(200)
    expect((await ben.json("DELETE", `${MEMBERS}/${client.userId}?keys=revoke`))[0]).toBe(200)
    expect(await owner.json("GET", KEYS)).toMatchObject([403, { code: "ROLE_REQUIRED" }])
    expect((await client.call("GET", "/v1/me")).status).toBe(401)
    expect((await ben.json("GET", KEYS))[0]).toBe(200)
  })

  test("A member's sessions, password and factors are the member's own, whatever account the page shows", async () => {
    const { client, member } = await createAccountWithPeople(world)
    const ben = await member("owner")
    const [, { items }] = await ben.json("GET", "/api/account/sessions")
    expect(items.map((one: { session_id: string }) => one.session_id)).toEqual([ben.session.sessionId])
    await ben.json("DELETE", "/api/account/sessions?which=others")
    const [row] = await world.sql("select session_epoch from users where user_id = $1", [client.userId])
    expect(row?.session_epoch).toBe(0)
  })

  test("A member's old proof is not enough, however fresh the owner's is", async () => {
    const { member } = await createAccountWithPeople(world)
    const ben = await member("developer")
    await world.sql("update sessions set proved_at = proved_at - interval '1 hour' where user_id = $1", [ben.userId])
    expect(await ben.json("POST", KEYS, { name: "x" })).toMatchObject([403, { code: "REAUTHENTICATION_REQUIRED" }])
  })

  test("A required second factor stops members without one until they set it up", async () => {
    const { owner, member } = await createAccountWithPeople(world)
    const ben = await member("developer")
    const rules = `${MEMBERS}/rules`
    expect(await owner.json("PUT", rules, { second_factor: true })).toMatchObject([
      403,
      { code: "SECOND_FACTOR_NOT_SET_UP" },
    ])
    const { browser } = await enrol(world, owner.userId)
    expect((await browser.json("PUT", rules, { second_factor: true }))[0]).toBe(200)
    expect(await ben.json("GET", KEYS)).toMatchObject([403, { code: "MEMBER_FACTOR_REQUIRED" }])
    const again = actingFor((await enrol(world, ben.userId)).browser, owner.userId)
    expect((await again.json("GET", KEYS))[0]).toBe(200)
  })
})

describe("A developer", () => {
  test("A developer's key to all spaces decides nothing about money, and erases no customer", async () => {
    const { member } = await createAccountWithPeople(world)
    const ben = await member("developer")
    const [, { value }] = await ben.json("POST", KEYS, { name: "all", scope: "all" })
    const key = world.createClient(ben.userId, value)
    for (const [method, path, body] of [
      ["PUT", "/v1/prices/standard", { markup: 2 }],
      ["PUT", "/v1/end-users/ann/limits", { daily_usd: 1 }],
      ["DELETE", "/v1/end-users/ann", undefined],
    ] as const) {
      const response = await key.call(method, path, body)
      expect([response.status, ((await response.json()) as { error: { code: string } }).error.code], path).toEqual([
        403,
        "ROLE_REQUIRED",
      ])
    }
    expect((await key.call("POST", "/v1/spaces", { title: "x" })).status).toBe(201)
  })

  test("A developer learns no value of the owner's keys, and cannot change them", async () => {
    const { client, owner, member } = await createAccountWithPeople(world)
    const ben = await member("developer")
    const [, { items }] = await owner.json("GET", KEYS)
    const path = `${KEYS}/${items[0].key_id}`
    expect(await ben.json("POST", `${path}/rotate`, {})).toMatchObject([403, { code: "ROLE_REQUIRED" }])
    expect(await ben.json("PATCH", path, { name: "mine" })).toMatchObject([403, { code: "ROLE_REQUIRED" }])
    const once = { "idempotency-key": "the owner's" }
    const [, key] = await owner.json("POST", KEYS, { name: "x" }, once)
    expect(key.role).toBe("owner")
    expect(await ben.json("POST", KEYS, { name: "x" }, once)).toMatchObject([403, { code: "ROLE_REQUIRED" }])
    expect(client.userId).toBeGreaterThan(0)
  })

  test("A space that is shared with the owner is not shown to the people of the owner's account", async () => {
    const { client, member } = await createAccountWithPeople(world)
    const ben = await member("owner")
    const sharer = await world.createAccount()
    const space = await sharer.space()
    await world.sql(
      "insert into space_members (space_id, user_id, created_at) select space_id, $2, created_at from spaces where slug = $1",
      [space, client.userId],
    )
    const owner = await world.signIn(client.userId)
    expect((await owner.json("GET", `/api/account/spaces/${space}`))[0]).toBe(200)
    expect((await ben.json("GET", `/api/account/spaces/${space}`))[0]).toBe(404)
    expect((await ben.json("GET", "/api/account/spaces"))[1].total).toBe(0)
    expect((await ben.json("GET", `/api/account/search?q=${space}`))[1].items).toEqual([])
    expect(await ben.json("POST", "/api/account/chat/turns", { space, text: "x" })).toMatchObject([404, {}])
  })

  test("A member's preview of the portal shows the account's end users, until the member loses the role", async () => {
    const { client, owner, member } = await createAccountWithPeople(world)
    const { value } = await world.makeKey(client.userId, { scope: "all" })
    const profile = { profile: { name: "Ann" } }
    await world.createClient(client.userId, value).call("PUT", "/v1/end-users/ann/profile", profile)
    const ben = await member("developer")
    const body = { scopes: ["profile"], profile_keys: ["name"] }
    const [status, made] = await ben.json("POST", "/api/account/end-users/ann/portal-previews", body)
    expect(status).toBe(201)
    const preview = await createPortalBrowser(world).open(made)
    expect((await portalJson(await preview.get("overview"))).profile).toMatchObject([{ value: "Ann" }])
    expect((await owner.json("PATCH", `${MEMBERS}/${ben.userId}`, { role: "billing" }))[0]).toBe(200)
    expect(await portalRefusalOf(await preview.get("overview"))).toEqual([401, "PORTAL_SESSION_INVALID"])
  })
})
