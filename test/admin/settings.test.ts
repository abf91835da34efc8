import { afterAll, beforeAll, expect, test } from "vitest"
import { SETTING_KEYS, SETTINGS } from "../../src/settings/registry.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { givePlan } from "../harness/quota-load.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const PATH = "/api/admin/settings"
const put = (key: string, value: unknown, headers = {}) => admin.json("PUT", PATH, { key, value }, headers)
const settingOf = async (key: string) =>
  (await admin.json("GET", PATH))[1].items.find((one: { key: string }) => one.key === key)

test("Every setting is listed with its default, bounds and last author", async () => {
  const [status, { items, total }] = await admin.json("GET", PATH)
  expect([status, total, items.map(({ key }: { key: string }) => key)]).toEqual([200, items.length, SETTING_KEYS])
  for (const key of SETTING_KEYS) {
    const unset = { version: 0, updated_at: null, updated_by: null }
    expect(await settingOf(key)).toMatchObject({
      key,
      value: SETTINGS[key].default,
      default: SETTINGS[key].default,
      ...unset,
    })
  }
  expect(await put("trial_days", 30)).toMatchObject([200, { key: "trial_days", value: 30, version: 1 }])
  expect(await put("trial_days", 30), "an equal value changes nothing").toMatchObject([200, { version: 1 }])
  const changed = { value: 30, default: 14, version: 1, updated_by: { user_id: admin.userId, name: "Ada" } }
  expect(await settingOf("trial_days")).toMatchObject({ ...changed, updated_at: world.clock.now().toISOString() })
  expect(await put("trial_days", 7, { "if-match": '"0"' })).toMatchObject([
    412,
    { details: { current: { value: 30 } } },
  ])
  expect((await put("trial_days", 7, { "if-match": '"1"' }))[0]).toBe(200)
})

test("A value out of bounds and an unknown key are 422 and change nothing", async () => {
  const before = (await admin.json("GET", PATH))[1]
  for (const [key, value] of [
    ["trial_days", -1],
    ["trial_days", 3_651],
    ["trial_days", "14"],
    ["trial_days", null],
    ["trial_plan", "No Plan"],
    ["signup_credit_micros", 1.5],
    ["container_second_usd", 2],
    ["plans", { "Bad Name": { label: "x" } }],
    ["plans", { pro: { label: "x", daily_cap_usd: -1 } }],
    ["plans", { pro: { label: "x", more: 1 } }],
    ["elsewhere", 1],
  ] as const) {
    expect((await put(key, value))[0], `${key} ${JSON.stringify(value)}`).toBe(422)
  }
  expect((await admin.json("PUT", PATH, { key: "trial_days" }))[0]).toBe(422)
  expect((await admin.json("GET", PATH))[1]).toEqual(before)
})

test("A plan in use cannot be removed, and an unused plan can", async () => {
  const { userId } = await world.createAccount()
  await givePlan(world, userId, 5)
  const { value } = await settingOf("plans")
  expect(await put("plans", { pro: { label: "Pro" } })).toMatchObject([409, { code: "PLAN_IN_USE" }])
  expect((await settingOf("plans")).value).toEqual(value)
  expect((await put("plans", { ...value, pro: { label: "Pro" } }))[0]).toBe(200)
  await world.sql("update subscriptions set deactivated_at = $2 where user_id = $1", [userId, world.clock.now()])
  expect((await put("plans", { pro: { label: "Pro" } }))[0]).toBe(200)
})

test("The amounts of a plan are whole credit micros, so that rounding loses none of them", async () => {
  const plan = (amounts: object) => ({ trial: { label: "Trial" }, ten: { label: "Ten", ...amounts } })
  for (const amount of [1e-8, 0.00000015]) {
    for (const name of ["included_credit_usd", "daily_cap_usd"]) {
      expect(await put("plans", plan({ [name]: amount })), `${name} ${amount}`).toMatchObject([
        422,
        { detail: [{ msg: "must have at most 7 decimals" }] },
      ])
    }
  }
  expect((await put("plans", plan({ included_credit_usd: 0.0000001, daily_cap_usd: 10 })))[0]).toBe(200)
})
