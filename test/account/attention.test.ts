import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { signInAdmin } from "../harness/books.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const HOUR_MS = 3_600_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

type Owner = Awaited<ReturnType<World["signIn"]>>

async function attentionOf(owner: Owner, query = "") {
  const [status, attention] = await owner.json("GET", `/api/account/attention${query}`)
  expect(status, JSON.stringify(attention)).toBe(200)
  return attention
}

const kindsOf = async (owner: Owner, query = "") =>
  (await attentionOf(owner, query)).items.map(({ kind }: { kind: string }) => kind)

async function arrange(usd = 10) {
  const client = await world.createAccount({ usd })
  await world.sql("update users set created_at = $2 where user_id = $1", [client.userId, world.clock.now()])
  const owner = await world.signIn(client.userId)
  const space = await client.space()
  return { client, owner, space }
}

describe("What needs an owner", () => {
  test("A new account with credit is fine since it was created, and later since its last failed turn", async () => {
    const { client, owner, space } = await arrange()
    expect(await attentionOf(owner)).toMatchObject({
      items: [],
      fine_since: { at: world.clock.now().toISOString(), source: "account_created" },
    })
    await world.advance(HOUR_MS)
    const failed = await client.runTurn({ space, text: "[fail OUT_OF_STOCK]" })
    await world.advance(1_000)
    await client.runTurn({ space, text: "hello" })
    expect(await attentionOf(owner)).toMatchObject({
      items: [],
      fine_since: { at: failed.finished_at, source: "turn_failed" },
    })
    expect((await attentionOf(owner, "?test=true")).fine_since.source).toBe("account_created")
  })

  test("Turns of a key that mostly fail need the owner for an hour", async () => {
    const { client, owner, space } = await arrange()
    for (let sent = 0; sent < 5; sent++) await client.runTurn({ space, text: "[fail OUT_OF_STOCK]" })
    await client.runTurn({ space, text: "hello" })
    const { items, fine_since } = await attentionOf(owner)
    expect(items).toMatchObject([{ kind: "turns_fail", count: 5, of: 6 }])
    expect(fine_since).toBeNull()
    await world.advance(HOUR_MS + 1_000)
    expect(await kindsOf(await world.signIn(client.userId))).toEqual([])
  })

  test("An account without credit is told so, and one with little credit that it is low, but not in test data", async () => {
    const none = await world.signIn(await createUser(world.sql, { name: "Poor" }))
    expect(await attentionOf(none)).toMatchObject({ items: [{ kind: "no_credit", used_usd: 0 }] })
    expect(await kindsOf(none, "?test=true")).toEqual([])
    const { owner } = await arrange(0.5)
    expect(await attentionOf(owner)).toMatchObject({
      items: [{ kind: "balance_low", used_usd: 0.5, limit_usd: 1 }],
      fine_since: null,
    })
  })

  test("A cap that is used up needs the owner until it is raised, and comes before a webhook that fails", async () => {
    const { client, owner, space } = await arrange()
    const receiver = serveReceiver(world, () => new Response(null, { status: 500 }))
    const { webhook_id } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
    const limits = async (daily_usd: number) => {
      const body = { daily_usd, monthly_usd: null, blocked: false }
      const [status, answer] = await owner.json("PUT", "/api/account/end-users/customer-1/limits", body)
      expect(status, JSON.stringify(answer)).toBe(200)
    }
    await client.runTurn({ space, text: "hello" })
    await limits(0.0001)
    await client.sendTurn({ space, text: "hello" })
    const { items } = await attentionOf(owner)
    expect(items).toMatchObject([
      { kind: "cap_reached", id: "customer-1", title: "end_user_daily", limit_usd: 0.0001 },
      { kind: "webhook_fails", id: webhook_id, title: receiver.url },
    ])
    await limits(5)
    expect(await kindsOf(owner)).toEqual(["webhook_fails"])
    receiver.answer = () => new Response(null, { status: 204 })
    await owner.json("POST", `/api/account/webhooks/${webhook_id}/test`)
    await world.drain()
    expect(await attentionOf(owner)).toMatchObject({ items: [], fine_since: { source: "cap_reached" } })
  })

  test("A webhook that has not answered its first ping does not fail, and one that answered 410 is disabled", async () => {
    const { client, owner } = await arrange()
    const silent = serveReceiver(world, () => new Response(null, { status: 500 }))
    await client.call("POST", "/v1/webhooks", { url: silent.url })
    await world.drain()
    expect(await kindsOf(owner)).toEqual([])
    const gone = serveReceiver(world, () => new Response(null, { status: 410 }))
    const { webhook_id } = await makeWebhook(client, { url: gone.url })
    await owner.json("POST", `/api/account/webhooks/${webhook_id}/test`)
    await world.drain()
    expect((await attentionOf(owner)).items).toMatchObject([{ kind: "webhook_disabled", id: webhook_id, text: "gone" }])
  })

  test("A turn that waits for a decision needs the owner until it is decided", async () => {
    const { client, owner, space } = await arrange()
    const tool = {
      description: "Finds an order.",
      input_schema: { type: "object", properties: {} },
      request: { method: "GET", url: "https://shop.example.com/orders" },
      approval: "always",
    }
    expect((await client.call("PUT", `/v1/spaces/${space}/tools/find`, tool)).status).toBe(200)
    const sent = await turnOf(await client.sendTurn({ space, text: "[call find {}]" }))
    await world.drain()
    expect((await attentionOf(owner)).items).toMatchObject([{ kind: "turns_wait", count: 1 }])
    await client.call("POST", `/v1/turns/${sent.turn_id}/cancel`)
    expect(await kindsOf(owner)).toEqual([])
  })

  test("A declined refund and a key that soon expires are told, after everything else", async () => {
    const { client, owner, space } = await arrange()
    const turn = await client.runTurn({ space, text: "hello" })
    const admin = await signInAdmin(world)
    await owner.json("PUT", `/api/account/turns/${turn.turn_id}/refund-request`, { reason: "It was wrong." })
    const [declined] = await admin.json("POST", `/api/admin/refund-requests/${turn.turn_id}/decision`, {
      decision: "decline",
      answer: "It was right.",
    })
    expect(declined).toBeLessThan(300)
    const expires_at = new Date(world.clock.now().getTime() + 24 * HOUR_MS).toISOString()
    const [, key] = await owner.json("POST", "/api/account/keys", { name: "Old", scope: "all", expires_at })
    expect((await attentionOf(owner)).items).toMatchObject([
      { kind: "key_expires", id: key.key_id, title: "Old", until: expires_at },
      { kind: "refund_declined", id: turn.turn_id, text: "It was right." },
    ])
    await world.advance(8 * 24 * HOUR_MS)
    expect(await kindsOf(await world.signIn(client.userId))).toEqual([])
  })

  test("Another account sees nothing of it", async () => {
    const { client, space } = await arrange()
    for (let sent = 0; sent < 5; sent++) await client.runTurn({ space, text: "[fail OUT_OF_STOCK]" })
    const { owner } = await arrange()
    expect(await kindsOf(owner)).toEqual([])
  })
})
