import { afterAll, beforeAll, expect, test } from "vitest"
import { type AdminEstate, adminOperations, createAdminEstate, requestOf } from "../harness/admin-requests.ts"
import { createPerson } from "../harness/auth.ts"
import { signInAdmin } from "../harness/books.ts"
import { serveCustomer } from "../harness/customer.ts"
import { dumpTables } from "../harness/dump.ts"
import { ESTATE_HOST } from "../harness/estate.ts"
import { createOwnerEstate, type OwnerEstate, ownerCallOf, ownerOperations } from "../harness/owner-calls.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let estate: OwnerEstate
let ofAdmin: AdminEstate
/** The user for whom a page was made before another one signed in. */
let former: number
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { host: ESTATE_HOST })
  estate = await createOwnerEstate(world)
  ofAdmin = await createAdminEstate(world, "the other tab")
  former = (await createPerson(world)).userId
})
afterAll(() => world.close())

const HEADER = "x-turnpike-user"
const other = { code: "SIGNED_IN_AS_OTHER" }

test.each(ownerOperations)("The operation $id does nothing for a page of another user", async (operation) => {
  const { method, path, body, headers } = ownerCallOf(operation, estate)
  const before = await dumpTables(world)
  const response = await estate.owner.call(method, path, body, { ...headers, [HEADER]: String(former) })
  expect([response.status, await response.json()]).toMatchObject([409, other])
  expect(await dumpTables(world), "nothing was written").toEqual(before)
})

test.each(adminOperations)("The operation $id of admins does nothing for a page of another user", async (operation) => {
  const { method, path, body, headers } = await requestOf(ofAdmin, operation)
  const before = await dumpTables(world)
  const answer = await ofAdmin.admin.json(method, path, body, { ...headers, [HEADER]: String(former) })
  expect(answer).toMatchObject([409, other])
  expect(await dumpTables(world), "nothing was written").toEqual(before)
})

test("The refusal names the user who is signed in, and a page of that user works", async () => {
  const { owner } = estate
  const [, me] = await owner.json("GET", "/api/auth/me", undefined, { [HEADER]: String(estate.client.userId) })
  expect(me.user_id).toBe(estate.client.userId)
  const [status, error] = await owner.json("POST", "/api/account/keys", { name: "x" }, { [HEADER]: String(former) })
  const name = me.name ?? `user ${me.user_id}`
  expect([status, error]).toMatchObject([
    409,
    {
      detail: `You are signed in as ${name} in another tab. Nothing was done. Reload.`,
      details: { user: { user_id: me.user_id }, acting: false },
    },
  ])
})

test("Signing out on a page of another user ends no session", async () => {
  const { userId } = await createPerson(world)
  const browser = await world.signIn(userId)
  const logout = (user: number) => browser.json("POST", "/api/auth/logout", undefined, { [HEADER]: String(user) })
  expect(await logout(former)).toMatchObject([409, other])
  expect((await browser.json("GET", "/api/auth/me"))[0]).toBe(200)
  expect((await logout(userId))[0]).toBe(200)
  expect((await browser.json("GET", "/api/auth/me"))[0]).toBe(401)
})

test("Links say in the query for whom the page was made", async () => {
  const { owner, client } = estate
  const get = (user: number | string) => owner.json("GET", `/api/account/keys?page_user=${user}`)
  expect((await get(client.userId))[0]).toBe(200)
  expect(await get(former)).toMatchObject([409, other])
  const link = await owner.call("GET", `/api/account/identities/link?next=/account&page_user=${former}`)
  expect(link.headers.get("location") ?? "").not.toContain("authorize")
})

test.each(["", "0", "-1", "1/", "a", "1/b", "1/2/3", "1, 2"])(
  "A header %j that names no user is refused, and not ignored",
  async (text) => {
    const before = await dumpTables(world)
    const [status] = await estate.owner.json("POST", "/api/account/keys", { name: "x" }, { [HEADER]: text })
    expect(status).toBe(422)
    expect(await dumpTables(world)).toEqual(before)
  },
)

test("A page knows whether an admin acts as the account that it shows", async () => {
  const admin = await signInAdmin(world)
  const { userId } = await createPerson(world)
  const begun = await admin.call("POST", `/api/admin/users/${userId}/act-as`)
  const acting = /(?:^|, )acting=([^;]*)/.exec(begun.headers.get("set-cookie") ?? "")?.[1]
  const cookie = `token=${admin.cookie()}; acting=${acting}`
  const ask = async (page: string, headers: object = { cookie }, method = "GET") => {
    const path = method === "GET" ? "/api/account/me" : "/api/account/keys"
    const body = method === "GET" ? undefined : { name: "x", scope: "all" }
    const [status, { code = "" }] = await admin.json(method, path, body, { [HEADER]: page, ...headers })
    return [status, code]
  }
  const [own, acted] = [`${admin.userId}/${admin.userId}`, `${admin.userId}/${userId}`]
  expect(await ask(acted), "a page of this account").toEqual([200, ""])
  expect(await ask(String(admin.userId)), "the account is not known yet").toEqual([200, ""])
  expect(await ask(own), "a page from before").toEqual([409, other.code])
  expect(await ask(String(userId)), "a page of the owner").toEqual([409, other.code])
  expect(await ask(own, { cookie }, "POST")).toEqual([409, other.code])
  expect(await ask(acted, { cookie }, "POST")).toEqual([403, "ACTING_READ_ONLY"])
  // Acting has ended in another tab, and the page still shows the other account.
  expect(await ask(acted, {})).toEqual([409, other.code])
  expect(await ask(acted, {}, "POST")).toEqual([409, other.code])
  expect(await ask(own, {})).toEqual([200, ""])
})
