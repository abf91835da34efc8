import { afterAll, beforeAll, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { createPortalBrowser, makePortal, portalJson, portalRefusalOf } from "../harness/portal.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let browser: ReturnType<typeof createPortalBrowser>
beforeAll(async () => {
  world = await createWorld()
  browser = createPortalBrowser(world)
})
afterAll(() => world.close())

const PROFILE = { name: "Ada", plan: "gold", orders: 3, news: true }

/** A client with a key for the whole account, and an end user with a profile. */
async function createOwner() {
  const { userId } = await world.createAccount()
  const owner = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  await owner.call("PUT", "/v1/end-users/ada/profile", { profile: PROFILE })
  return owner
}
const portalOf = async (owner: TestClient, keys = ["name", "time_zone", "news"]) =>
  browser.open(await makePortal(owner, "ada", { scopes: ["profile"], profile_keys: keys }))
const profileOf = async (owner: TestClient) =>
  (await readAnswer(owner.call("GET", "/v1/end-users/ada/profile"))).body.profile

test("An end user sees and changes the facts that the owner names, and no others", async () => {
  const owner = await createOwner()
  const ada = await portalOf(owner)
  expect((await portalJson(await ada.get("overview"))).profile).toEqual([
    { key: "name", value: "Ada" },
    { key: "time_zone", value: null },
    { key: "news", value: true },
  ])
  const changed = await portalJson(await ada.change({ name: "Ada L.", time_zone: "Europe/Berlin", news: false }))
  expect(changed.facts.map(({ value }: { value: unknown }) => value)).toEqual(["Ada L.", "Europe/Berlin", false])
  expect(await profileOf(owner)).toEqual({ ...PROFILE, name: "Ada L.", time_zone: "Europe/Berlin", news: false })
  await portalJson(await ada.change({ name: null, time_zone: "" }))
  expect(await profileOf(owner)).toEqual({ plan: "gold", orders: 3, news: false })
  expect(await portalRefusalOf(await ada.change({ plan: "platinum" }))).toEqual([422, "VALIDATION_FAILED"])
  expect(await portalRefusalOf(await ada.change({ __proto__x: "a", constructor: "b" }))).toEqual([
    422,
    "VALIDATION_FAILED",
  ])
  expect((await profileOf(owner)).plan).toBe("gold")
})

test("The audit log has the names of changed facts and no values, and an unchanged fact is not written", async () => {
  const owner = await createOwner()
  const ada = await portalOf(owner)
  await portalJson(await ada.change({ name: "canary-value" }))
  await portalJson(await ada.change({ name: "canary-value" }))
  const entries = await world.sql<{ after: object; actor_user_id: number | null }>(
    "select after, actor_user_id from audit_log where action = 'portal.profile' and (after ->> 'user_id')::bigint = $1",
    [owner.userId],
  )
  expect(entries).toMatchObject([{ actor_user_id: null, after: { facts: ["name"] } }])
  expect(JSON.stringify(entries)).not.toContain("canary")
})

test("A value that no profile may have is refused by its name, and a full profile takes no more", async () => {
  const owner = await createOwner()
  const ada = await portalOf(owner)
  for (const facts of [{ time_zone: "Mars/Base" }, { name: "x".repeat(4090) }, { name: { a: 1 } }, { name: ["a"] }]) {
    const [status, code] = await portalRefusalOf(await ada.change(facts))
    expect([status, code], JSON.stringify(facts).slice(0, 50)).toEqual([422, "VALIDATION_FAILED"])
  }
  // Each part fits, and together they do not.
  await owner.call("PUT", "/v1/end-users/ada/profile", { profile: { plan: "x".repeat(3000) } })
  expect(await portalRefusalOf(await ada.change({ name: "y".repeat(1200) }))).toEqual([422, "VALIDATION_FAILED"])
  await portalJson(await ada.change({ name: "y".repeat(1000) }))
  const many = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`k${n}`, n]))
  await owner.call("PUT", "/v1/end-users/ada/profile", { profile: many })
  expect(await portalRefusalOf(await ada.change({ name: "z" }))).toEqual([422, "VALIDATION_FAILED"])
  expect(await profileOf(owner)).toEqual(many)
})

test("The scope needs names of facts and a key for the whole account", async () => {
  const owner = await createOwner()
  const path = "/v1/end-users/ada/portal-sessions"
  const asked = async (client: TestClient, body: object) => (await client.call("POST", path, body)).status
  expect(await asked(owner, { scopes: ["profile"] })).toBe(422)
  expect(await asked(owner, { scopes: ["usage"], profile_keys: ["name"] })).toBe(422)
  expect(await asked(owner, { scopes: ["profile"], profile_keys: ["a b"] })).toBe(422)
  expect(await asked(owner, { scopes: ["profile"], profile_keys: ["name", "name"] })).toBe(422)
  expect(await asked(await world.createAccount(), { scopes: ["profile"], profile_keys: ["name"] })).toBe(403)
  // The longest names and reference fit into a token.
  const keys = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(64))
  const long = await makePortal(owner, "ü".repeat(128), { scopes: ["profile"], profile_keys: keys })
  expect((await portalJson(await (await browser.open(long)).get("overview"))).profile).toHaveLength(8)
})

test("A session without the scope, a preview, another end user's session and an erased end user change nothing", async () => {
  const owner = await createOwner()
  const usage = await browser.open(await makePortal(owner, "ada", { scopes: ["usage"] }))
  expect(await portalRefusalOf(await usage.change({ name: "x" }))).toEqual([403, "SCOPE_DENIED"])
  expect((await portalJson(await usage.get("overview"))).profile).toBeNull()
  const bob = await browser.open(await makePortal(owner, "bob", { scopes: ["profile"], profile_keys: ["name"] }))
  await portalJson(await bob.change({ name: "Bob" }))
  expect(await profileOf(owner)).toEqual(PROFILE)
  const session = await world.signIn(owner.userId)
  const body = { scopes: ["profile"], profile_keys: ["name"] }
  const [status, preview] = await session.json("POST", "/api/account/end-users/ada/portal-previews", body)
  expect(status).toBe(201)
  expect(await portalRefusalOf(await (await browser.open(preview)).change({ name: "x" }))).toEqual([
    403,
    "SCOPE_DENIED",
  ])
  const ada = await portalOf(owner)
  await owner.call("DELETE", "/v1/end-users/ada")
  expect(await portalRefusalOf(await ada.change({ name: "x" }))).toEqual([401, "PORTAL_SESSION_INVALID"])
  expect(await profileOf(owner)).toEqual({})
})
