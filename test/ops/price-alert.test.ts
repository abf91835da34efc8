import { beforeEach, expect, test } from "vitest"
import { catalogModel } from "../harness/admin-places.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let told: { alert: string; state: string; message: string }[]
beforeEach(async () => {
  world = await createWorld({ env: { ALERT_URL: "https://alerts.test/in" } })
  admin = await signInAdmin(world)
  told = []
  world.serve("alerts.test", async (request) => {
    told.push(await request.json())
    return new Response(null, { status: 204 })
  })
  return () => world.close()
})

const WEEK_MS = 7 * 86_400_000
const EQUAL = { input: 0.25, cached: 0.025, output: 2, web_search: 0.01 }

/** Lets a time pass, and the cron run twice. */
async function pass(ms: number): Promise<void> {
  await world.advance(ms)
  await world.sweep()
  await world.advance(60_000)
  await world.sweep()
}
const ofPrices = () => told.filter(({ alert }) => alert === "prices").map(({ state, message }) => [state, message])
const stored = () =>
  world.sql(
    "select c.pin, c.version, c.price_version, c.price_input, c.prices_from from model_catalog c order by c.pin",
  )

test("Findings of the price feed are told once, again if they change, and their end once; no price changes", async () => {
  const cheap = await catalogModel({ admin }, { engine: "openai", model: "gpt-5-mini", enabled: true })
  await catalogModel({ admin }, { engine: "openai", model: "gpt-5-nano" })
  const before = await stored()
  await pass(1_000)
  const first = [
    "firing",
    "The price feed has findings (4) for enabled models (1): openai/gpt-5-mini. See the page Models.",
  ]
  expect(ofPrices()).toEqual([first])
  await pass(WEEK_MS)
  await pass(WEEK_MS)
  expect(ofPrices(), "the same findings").toEqual([first])
  expect(await stored(), "a feed never changes prices").toEqual(before)

  await admin.json("PATCH", "/api/admin/model-catalog/openai/gpt-5-nano", { enabled: true })
  await pass(WEEK_MS - 180_000)
  expect(ofPrices(), "less than a week later").toEqual([first])
  await pass(180_000)
  expect(ofPrices().slice(1)).toEqual([["firing", expect.stringContaining("openai/gpt-5-mini, openai/gpt-5-nano")]])

  await admin.json("PUT", `/api/admin/model-catalog/${cheap}/prices`, EQUAL)
  await admin.json("PATCH", "/api/admin/model-catalog/openai/gpt-5-nano", { enabled: false })
  await pass(WEEK_MS)
  await pass(WEEK_MS)
  expect(ofPrices().slice(2)).toEqual([["resolved", expect.stringContaining("openai/gpt-5-nano")]])
})

test("A release with another feed compares at once", async () => {
  await catalogModel({ admin }, { engine: "anthropic", model: "claude-unknown", enabled: true })
  await world.sql("insert into price_checks (feed, digest, checked_at) values ('older 0.0.1', '', $1)", [
    world.clock.now(),
  ])
  await pass(1_000)
  expect(ofPrices()).toEqual([
    ["firing", expect.stringContaining("findings (1) for enabled models (1): anthropic/claude-unknown")],
  ])
})
