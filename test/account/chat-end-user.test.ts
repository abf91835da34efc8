import { decodeJwt } from "jose"
import { afterAll, beforeAll, expect, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { expectPromises } from "../harness/promises.ts"
import { CHAT, SPACES, shareSpace } from "../harness/shared-space.ts"
import { waiter, workTool } from "../harness/waiting.ts"
import { createWorld, type World } from "../harness/world.ts"

const LIMITS = "/api/account/end-users/ada/limits"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function arrange({ usd = 10 } = {}) {
  const client = await world.createAccount({ usd })
  const browser = await world.signIn(client.userId)
  const space = await client.space({ title: "Support" })
  const chat = (body: object) => browser.json("POST", CHAT, { space, text: "hello", ...body })
  return { client, browser, space, chat }
}

test("A turn of the playground as an end user continues their conversation", async () => {
  const { client, space, chat } = await arrange()
  const { conversation } = await client.runTurn({ space, end_user_ref: "ada", conversation: "orders", text: "first" })
  const [status, turn] = await chat({ end_user_ref: "ada", conversation, text: "second" })
  expect([status, turn.end_user_ref, turn.conversation]).toEqual([202, "ada", conversation])
  await world.drain()
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "done", end_user_ref: "ada" })
  // Another end user, or none, does not see it.
  expect((await chat({ end_user_ref: "grace", conversation }))[0]).toBe(404)
  expect((await chat({ conversation }))[0]).toBe(404)
  await expectPromises(world, client.userId)
})

test("Tools of a turn as an end user are called for them and with their profile, and those of a plain chat for no end user", async () => {
  const { client, browser, space, chat } = await arrange()
  const profile = { name: "Ada" }
  expect((await browser.json("PUT", "/api/account/end-users/ada/profile", { profile }))[0]).toBe(200)
  const shop = serveCustomer(world)
  const url = 'https://api.customer.com/of/{{end_user.ref | "none"}}/{{profile.name | "none"}}'
  for (const tool of [orderTool(shop.host, { request: { method: "GET", url } }), workTool()])
    expect((await client.call("PUT", `/v1/spaces/${space}/tools/${tool.name}`, tool)).status).toBe(200)
  const text = '[call lookup_order {"id":"A-1"}]\n[call pick {}]'
  for (const [end_user_ref, path] of [
    ["ada", "/of/ada/Ada"],
    [undefined, "/of/none/none"],
  ] as const) {
    const [status, turn] = await chat({ end_user_ref, text })
    expect(status).toBe(202)
    await world.drain()
    const [request] = shop.requests.splice(0)
    expect(new URL(request?.url ?? "").pathname).toBe(path)
    expect(decodeJwt(request?.headers["turnpike-identity"] ?? "")).toMatchObject({ turn: turn.turn_id })
    expect(decodeJwt(request?.headers["turnpike-identity"] ?? "").sub).toBe(end_user_ref)
    const { data } = await waiter(client).take("?limit=5")
    expect(data).toMatchObject([{ turn_id: turn.turn_id, end_user_ref: end_user_ref ?? null }])
    expect(decodeJwt(data[0].identity).sub).toBe(end_user_ref)
  }
})

test("Caps and usage of the end user do not count it, and a used-up cap does not refuse it", async () => {
  const { client, browser, space, chat } = await arrange()
  expect((await browser.json("PUT", LIMITS, { daily_usd: 0 }))[0]).toBe(200)
  expect((await client.sendTurn({ space, end_user_ref: "ada" })).status).toBe(429)
  const [status, turn] = await chat({ end_user_ref: "ada", text: "[use input=1000 output=1000]" })
  expect(status).toBe(202)
  await world.drain()
  expect((await client.getTurn(turn.turn_id)).billed_cost_usd).toBeGreaterThan(0)
  const [, user] = await browser.json("GET", "/api/account/end-users/ada")
  expect(user.caps[0]).toMatchObject({ cap: "end_user_daily", spent_usd: 0, reserved_usd: 0 })
  for (const rolled of [false, true]) {
    const [, { items }] = await browser.json("GET", "/api/account/customers?q=ada")
    expect(items, `rolled: ${rolled}`).toMatchObject([{ end_user_ref: "ada", turns: 0, billed_usd: 0 }])
    await world.sweep()
  }
  await expectPromises(world, client.userId)
})

test("A blocked end user cannot be used", async () => {
  const { browser, chat } = await arrange()
  expect((await browser.json("PUT", LIMITS, { blocked: true }))[0]).toBe(200)
  const [status, body] = await chat({ end_user_ref: "ada" })
  expect([status, body.code]).toEqual([403, "END_USER_BLOCKED"])
})

test("A member of a shared space cannot act as a customer of its owner", async () => {
  const { people, space } = await shareSpace(world, "as")
  for (const person of [people.member, people.admin]) {
    const [status, body] = await person.json("POST", CHAT, { space, text: "hello", end_user_ref: "ada" })
    expect([status, body.code]).toEqual([403, "SPACE_ROLE_REQUIRED"])
  }
  expect((await people.member.json("POST", CHAT, { space, text: "hello" }))[0]).toBe(202)
  const [, { space_id: own }] = await people.member.json("POST", SPACES, { title: "Own" })
  // In a space of their own, only the credit is missing.
  expect((await people.member.json("POST", CHAT, { space: own, text: "hello", end_user_ref: "ada" }))[0]).toBe(402)
})

test("Erasing an end user cancels and erases their turns of the playground, too", async () => {
  const { client, browser, chat } = await arrange()
  const [, open] = await chat({ end_user_ref: "ada", text: "a secret" })
  const [status] = await browser.json("DELETE", "/api/account/end-users/ada")
  expect(status).toBeLessThan(300)
  await world.drain()
  await world.sweep()
  await world.drain()
  const turn = await client.getTurn(open.turn_id)
  expect(turn.state).toBe("cancelled")
  expect(JSON.stringify(turn)).not.toContain("secret")
  await expectPromises(world, client.userId)
})
