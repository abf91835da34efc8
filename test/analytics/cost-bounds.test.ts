import { afterAll, beforeAll, expect, test } from "vitest"
import { readReport } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

const DIMENSIONS = ["space", "user", "model", "provider"] as const

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

test("Wrong bounds and ranges are refused", async () => {
  const wrong = [
    ...["costs", "cpm", "costs/per-user", "subscription-spaces", "breakdown"].flatMap((report) =>
      ["days=0", "days=366", "days=1.5", "more=1", "format=xml"].map((query) => `${report}?${query}`),
    ),
    "costs/per-user?limit=101",
    "costs/per-user?limit=0",
    "breakdown?limit=1001",
    "breakdown?dimension=key",
    "breakdown?start=2026-11-02&end=2026-11-01",
    "breakdown?start=2026-11-02&end=2026-11-02",
    "breakdown?start=today",
    "subscription-spaces?date_from=2026-11-02&date_to=2026-11-01",
    "subscription-spaces?date_from=2026-02-29",
    ...["9999-12-01&date_to=9999-12-31", "0000-01-01", "1969-12-31", "9999-01-01"].map(
      (date) => `subscription-spaces?date_from=${date}`,
    ),
    "subscription-spaces?date_to=9999-12-31",
    "subscription-spaces?date_to=0000-01-01",
    "cpm?user_id=x",
    "cpm?user_id=0",
  ]
  for (const path of wrong) expect((await admin.json("GET", `/api/admin/analytics/${path}`))[0], path).toBe(422)
  for (const day of ["1970-01-01", "9998-12-31"]) {
    const { from } = await readReport(admin, `subscription-spaces?date_from=${day}&date_to=${day}`)
    expect(from).toBe(`${day}T00:00:00.000Z`)
  }
})

test("Reports are empty without usage and have one row for a single turn", async () => {
  const none = { turns: 0, model_calls: 0, tokens_input: 0, tokens_cached: 0, tokens_output: 0 }
  const nothing = { ...none, billed_cost_usd: 0, refunded_usd: 0, net_usd: 0, cost_usd: 0, margin_usd: 0 }
  const paths = DIMENSIONS.map((dimension) => `breakdown?dimension=${dimension}`)
  const lists = ["costs/per-user", "subscription-spaces", "subscription-spaces?chat_key=x", ...paths]
  for (const path of lists) {
    expect(await readReport(admin, path), path).toMatchObject({ items: [], other: nothing, total: nothing })
  }
  const [first] = (await readReport(admin, "costs?days=1")).items
  expect(first).toEqual({ date: "2026-11-20", ...nothing, models: [] })
  const { total } = await readReport(admin, "cpm")
  expect(new Set(Object.values({ ...total.cost, ...total.billed }))).toEqual(new Set([null]))
  const client = await world.createAccount()
  await world.sql("update users set name = 'Ada' where user_id = $1", [client.userId])
  await client.runTurn({ space: await client.space(), text: "[use input=100 output=10]\nhello" })
  const one = { turns: 1, model_calls: 1, tokens_input: 100, tokens_cached: 0, tokens_output: 10 }
  for (const path of lists.filter((path) => !path.includes("chat_key"))) {
    expect(await readReport(admin, path), path).toMatchObject({ items: [one], other: nothing, total: one })
  }
  expect((await readReport(admin, "costs?days=1")).items).toMatchObject([{ ...one, models: [one] }])
})
