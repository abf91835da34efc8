import { afterAll, beforeAll, expect, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { makeWebhook } from "../harness/receiver.ts"
import { CHAT, giveCredit, type Session, type Shared, shareSpace } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

const DEAR = "rehearsal/dear"
const SECRET = "canary-of-the-shop"

let world: World
let shared: Shared
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { answer: ({ headers }) => Response.json({ told: headers.authorization }) })
  world.serve("hooks.customer.com", () => new Response("not now", { status: 500 }))
  shared = await shareSpace(world, "turn details")
})
afterAll(() => world.close())

const TURNS = "/api/account/turns"
const DETAILS = ["", "/steps", "/bill", "/files", "/deliveries", "/events"]

const shop = () => ({
  tools: [orderTool()],
  secrets: { TOKEN: SECRET },
  manifest: { subagents: [{ name: "thinker", description: "Thinks.", model: DEAR }] },
})

async function owner() {
  const { userId } = await world.createAccount({ usd: 10 })
  const client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  return { client, browser: await world.signIn(userId) }
}

/** The details of a turn, by the last segment of their path. */
async function detailsOf(browser: Session, turnId: string) {
  const read = async (part: string) => (await browser.json("GET", `${TURNS}/${turnId}${part}`))[1]
  return {
    turn: await read(""),
    steps: (await read("/steps")).items,
    bill: await read("/bill"),
    files: await read("/files"),
    deliveries: await read("/deliveries"),
  }
}

test("A turn shows its calls with input and output, each line of its bill, its files and its deliveries", async () => {
  await addModel(world, DEAR)
  const { client, browser } = await owner()
  const space = await client.space(shop())
  const webhook = await makeWebhook(client, { url: "https://hooks.customer.com/" })
  const [, sent] = await browser.json("POST", `/api/account/spaces/${space}/files?name=sent.json`, { a: 1 })
  // With equal times, their ids would decide the order.
  await world.advance(1000)
  const text = [
    "[use input=1000 output=100]",
    '[call lookup_order {"id":"A-1"}]',
    '[and call lookup_order {"nothing":true}]',
    "[write made.txt hello]",
    "[delegate thinker [use input=500 output=10]\\nhello]",
  ].join("\n")
  const { turn_id } = await client.runTurn({ space, text, files: [sent.file_id] })
  const { turn, steps, bill, files, deliveries } = await detailsOf(browser, turn_id)
  expect(turn.state).toBe("done")

  expect(steps.map(({ step }: { step: number }) => step)).toEqual(steps.map((_: unknown, index: number) => index))
  expect(steps[0].tool_calls).toEqual([
    {
      call: 0,
      name: "lookup_order",
      input: { id: "A-1" },
      output: { is_error: false, text: expect.stringContaining("told"), objects: [] },
    },
    { call: 1, name: "lookup_order", input: { nothing: true }, output: expect.objectContaining({ is_error: true }) },
  ])
  expect(JSON.stringify(steps)).not.toContain(SECRET)
  expect(steps.filter(({ subagent }: { subagent: string | null }) => subagent === "thinker")).toMatchObject([
    { agent: expect.stringMatching(/^\d+\.0$/), model: DEAR },
  ])
  const [, second] = await browser.json("GET", `${TURNS}/${turn_id}/steps?limit=1&offset=1`)
  expect([second.items, second.total]).toEqual([[steps[1]], steps.length])

  expect(bill).toMatchObject({ turn_id, state: "done", billed_cost_usd: turn.billed_cost_usd, held_usd: 0 })
  expect(bill.cost_usd).toBe(bill.billed_cost_usd)
  const micros = (field: "cost_usd" | "billed_usd") =>
    bill.items.reduce((sum: number, item: Record<string, number>) => sum + Math.round((item[field] ?? 0) * 1e7), 0)
  expect([micros("cost_usd"), micros("billed_usd")]).toEqual(Array(2).fill(Math.round(turn.billed_cost_usd * 1e7)))
  expect(bill.items).toHaveLength(turn.usage.model_calls)
  for (const { price, tokens_input, tokens_output, cost_usd } of bill.items) {
    expect(cost_usd).toBeCloseTo((price.input * tokens_input + price.output * tokens_output) / 1e6, 6)
  }

  expect(files).toMatchObject({
    total: 2,
    items: [
      { file_id: sent.file_id, name: "sent.json", turn: null },
      { name: "made.txt", turn: turn_id },
    ],
  })
  const content = `/api/account/spaces/${space}/files/${files.items[1].file_id}/content`
  expect(await (await browser.call("GET", content)).text()).toBe("hello")

  expect(deliveries.total).toBe(3)
  for (const delivery of deliveries.items) expect(delivery).toMatchObject({ webhook_id: webhook.webhook_id, turn_id })
  expect(deliveries.items.map(({ event_type }: { event_type: string }) => event_type).sort()).toEqual(
    ["turn.done", "turn.queued", "turn.running"].sort(),
  )
  const [, list] = await browser.json("GET", `${TURNS}?conversation=${turn.conversation}`)
  expect(list).toMatchObject({ total: 1, items: [{ turn_id }] })
})

test("A bill keeps the prices of its time when prices change", async () => {
  const pin = "rehearsal/changing"
  await addModel(world, pin)
  const { client, browser } = await owner()
  const space = await client.space()
  const { turn_id } = await client.runTurn({ space, model: pin, text: "[use input=1000 output=100]\nhello" })
  const [, before] = await browser.json("GET", `${TURNS}/${turn_id}/bill`)
  await world.sql(
    `with former as (select * from model_catalog where pin = $1), kept as (
       insert into former_prices (pin, price_version, price_input, price_cached, price_output, price_cache_write, until_at)
       select pin, price_version, price_input, price_cached, price_output, price_cache_write, now() from former)
     update model_catalog set price_input = 3 * price_input, price_version = price_version + 1 where pin = $1`,
    [pin],
  )
  expect((await browser.json("GET", `${TURNS}/${turn_id}/bill`))[1]).toEqual(before)
  expect(before.items[0].price).not.toBeNull()
})

test("An open turn's cost grows before it is charged, and a lost turn is never charged", async () => {
  const { browser } = await owner()
  const [, { space_id: space }] = await browser.json("POST", "/api/account/spaces", { title: "Mine" })
  const [, { turn_id }] = await browser.json("POST", CHAT, { space, text: "hello" })
  expect((await browser.json("GET", `${TURNS}/${turn_id}/bill`))[1]).toMatchObject({
    state: "queued",
    cost_usd: 0,
    billed_cost_usd: 0,
    held_usd: 0.25,
    items: [],
  })
  await world.drain()
  const [, bill] = await browser.json("GET", `${TURNS}/${turn_id}/bill`)
  expect(bill.items).toMatchObject([{ step: 0, call: null, calls: 1, role: "orchestrator", subagent: null }])
  expect([bill.held_usd, bill.cost_usd > 0, bill.billed_cost_usd]).toEqual([0, true, bill.cost_usd])
})

test("A member who sent a turn to a shared space sees its work but not the owner's deliveries; others see none of it", async () => {
  const { owner: host, people, stranger, space } = shared
  await host.json("POST", "/api/account/webhooks", { url: "https://hooks.customer.com/" })
  await giveCredit(world, people.member.userId)
  const [, { turn_id }] = await people.member.json("POST", CHAT, { space, text: "[write made.txt hello]" })
  await world.drain()
  for (const browser of [host, people.member]) {
    const { steps, bill, files } = await detailsOf(browser, turn_id)
    expect([steps[0].tool_calls[0].name, bill.items.length, files.total]).toEqual(["write_file", steps.length, 1])
  }
  expect((await detailsOf(host, turn_id)).deliveries.total).toBeGreaterThan(0)
  expect((await detailsOf(people.member, turn_id)).deliveries.total).toBe(0)
  for (const browser of [people.admin, people.guest, stranger]) {
    for (const part of DETAILS) {
      expect(await browser.json("GET", `${TURNS}/${turn_id}${part}`), part).toMatchObject([404, { code: "NOT_FOUND" }])
    }
  }
})

test("An erased turn shows amounts and no texts", async () => {
  const { client, browser } = await owner()
  const space = await client.space(shop())
  const text = '[call lookup_order {"id":"canary-input"}]\n[reply canary-reply]'
  const { turn_id } = await client.runTurn({ space, text, end_user_ref: "leaver" })
  const [, receipt] = await browser.json("DELETE", "/api/account/end-users/leaver")
  expect(receipt).toMatchObject({ state: "erased", turns: 1 })
  expect((await browser.json("GET", `/api/account/erasures/${receipt.erasure_id}`))[1]).toEqual(receipt)
  const { steps, bill } = await detailsOf(browser, turn_id)
  expect(JSON.stringify(steps)).not.toContain("canary")
  expect(bill.billed_cost_usd).toBeGreaterThan(0)
})

test("An estimate equals the hold of the chat turn, and members get no estimates", async () => {
  const { browser } = await owner()
  const [, { space_id: space }] = await browser.json("POST", "/api/account/spaces", { title: "Mine" })
  const body = { space, text: "hello", max_cost_usd: 0.1 }
  const [, estimate] = await browser.json("POST", `${CHAT}/estimate`, body)
  expect(estimate).toMatchObject({ admitted: true, hold_usd: 0.1, refused_by: null, caps: [] })
  expect((await browser.json("POST", CHAT, body))[1].held_usd).toBe(estimate.hold_usd)
  const poor = await world.createAccount({ usd: 0 })
  const beggar = await world.signIn(poor.userId)
  const [, { space_id: empty }] = await beggar.json("POST", "/api/account/spaces", { title: "Mine" })
  expect((await beggar.json("POST", `${CHAT}/estimate`, { space: empty, text: "hello" }))[1]).toMatchObject({
    admitted: false,
    refused_by: { code: "INSUFFICIENT_CREDITS" },
  })
  const { people, space: theirs } = shared
  const refused = await people.member.json("POST", `${CHAT}/estimate`, { space: theirs, text: "hello" })
  expect(refused).toMatchObject([404, { code: "NOT_FOUND" }])
})
