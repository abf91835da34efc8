import { afterAll, beforeAll, expect, test } from "vitest"
import { createUser, topUp } from "../../src/ops/seed.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function userOf(brand: string) {
  const userId = await createUser(world.sql, { brand })
  const now = world.clock.now()
  await topUp(world.sql, { userId, micros: 10_000_000, reason: "operator_topup", actor: "test", now })
  const browser = await world.signIn(userId)
  const create = async (body: object = {}) => {
    const [status, key] = await browser.json("POST", "/api/account/keys", { name: "Server", scope: "all", ...body })
    expect(status).toBe(201)
    return { ...key, client: world.createClient(userId, key.value) }
  }
  return { userId, browser, create }
}

const brandOf = async (slug: string) =>
  (await world.sql<{ brand: string }>("select brand from spaces where slug = $1", [slug]))[0]?.brand

test("A user of a brand makes keys, spaces and tasks of that brand, and /v1 accepts the keys", async () => {
  const { browser, create } = await userOf("acme")
  const { value, hint, client } = await create()
  expect(value).toMatch(/^acme_live_[0-9A-Za-z]{38}$/)
  expect(hint).toMatch(/^acme_live_/)
  const space = await client.space({ manifest: { builtin_tools: ["create_task"] } })
  expect(await brandOf(space)).toBe("acme")
  const turn = await client.runTurn({ space, text: '[call create_task {"title":"Call back"}]' })
  expect(turn.state).toBe("done")
  const tasks = await world.sql("select brand from tasks where turn_id = $1", [turn.turn_id])
  expect(tasks).toEqual([{ brand: "acme" }])
  const [, own] = await browser.json("POST", "/api/account/spaces", { title: "Mine" })
  expect(await brandOf(own.space_id)).toBe("acme")
})

test("Test keys and rotated keys have the account's brand too", async () => {
  const { browser, create } = await userOf("acme")
  const test = await create({ test: true })
  expect(test.value).toMatch(/^acme_test_/)
  expect(await brandOf(await test.client.space())).toBe("acme")
  const { key_id } = await create()
  const [, rotated] = await browser.json("POST", `/api/account/keys/${key_id}/rotate`, {})
  expect(rotated.value).toMatch(/^acme_live_/)
  const client = world.createClient(browser.userId, rotated.value)
  expect((await client.call("GET", "/v1/me")).status).toBe(200)
})

test("Accounts of the worker's own brand keep their prefix, and no brand's prefix works with another brand's key", async () => {
  const { userId, create } = await userOf("turnpike")
  const { value, client } = await create()
  expect(value).toMatch(/^turnpike_live_/)
  expect(await brandOf(await client.space())).toBe("turnpike")
  const forged = world.createClient(userId, value.replace("turnpike_", "acme_"))
  expect((await forged.call("GET", "/v1/me")).status).toBe(401)
})
