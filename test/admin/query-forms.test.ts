import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  await (await world.createAccount()).space({ title: "Desk" })
})
afterAll(() => world.close())

const get = (path: string) => admin.json("GET", path)

test.each([
  "/api/admin/spaces/list?origin=&workspace_id=&owner_id=&q=&brand=&archived=&limit=",
  "/api/admin/users?role=&q=&limit=&offset=",
  "/api/admin/tasks?space=&brand=&assignee_user_id=&q=&state=",
  "/api/admin/analytics/context-size?space=&days=",
  "/api/admin/analytics/energy-timeline?start=&end=&all_time=",
  "/api/admin/analytics/breakdown?dimension=&limit=",
  "/api/account/keys?test=",
  "/api/account/usage?group_by=day&key_id=",
])("Empty parameters of %s count as absent", async (path) => {
  const [status, filled] = await get(path)
  expect(status).toBe(200)
  const kept = path.includes("group_by=day") ? "?group_by=day" : ""
  expect(filled).toEqual((await get(path.split("?")[0] + kept))[1])
})

test("A required parameter that is empty is missing, and an empty filter of the customer API stays an error", async () => {
  expect(await get("/api/admin/analytics/hourly-spaces?start=&end=2026-01-01")).toMatchObject([
    422,
    { detail: [{ loc: ["query", "start"], type: "missing" }] },
  ])
  const customer = await world.createAccount()
  expect((await customer.call("GET", "/v1/turns?end_user_ref=")).status).toBe(422)
})

test.each([
  ["true", true],
  ["True", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["False", false],
  ["0", false],
  ["no", false],
] as const)("A boolean parameter accepts %s", async (word, means) => {
  const day = { days: "1" }
  const asked = await get(`/api/admin/analytics/energy-timeline?days=1&all_time=${word}`)
  const plain = await get(
    `/api/admin/analytics/energy-timeline?${new URLSearchParams({ ...day, all_time: String(means) })}`,
  )
  expect(asked[0]).toBe(200)
  expect(asked).toEqual(plain)
  const tested = await get(`/api/account/keys?test=${word}`)
  expect(tested[0]).toBe(200)
})

test("A boolean parameter refuses any other word", async () => {
  for (const word of ["maybe", "2", "constructor", "tru"]) {
    expect((await get(`/api/admin/analytics/energy-timeline?all_time=${word}`))[0], word).toBe(422)
  }
})

test("Each word for true selects test data", async () => {
  const customer = await world.createAccount()
  const key = await world.makeKey(customer.userId, { test: true })
  const space = await world.createClient(customer.userId, key.value).space({ title: "Trial" })
  const session = await world.signIn(customer.userId)
  for (const word of ["true", "True", "1"]) {
    const response = await session.call("GET", `/api/account/spaces?test=${word}`)
    expect(((await response.json()) as { items: object[] }).items, word).toMatchObject([{ space_id: space }])
  }
})

test("A role that does not exist has no users", async () => {
  expect(await get("/api/admin/users?role=nope")).toMatchObject([200, { items: [], total: 0 }])
})

test("Lists refuse a brand that does not exist with the same message", async () => {
  const [[status, spaces], [same, tasks]] = [
    await get("/api/admin/spaces/list?brand=missing"),
    await get("/api/admin/tasks?brand=missing"),
  ]
  expect([status, same]).toEqual([422, 422])
  expect(tasks.detail).toEqual(spaces.detail)
})
