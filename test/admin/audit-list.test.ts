import { afterAll, beforeAll, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const list = async (query: string) => (await admin.json("GET", `/api/admin/audit${query}`))[1]

test("the audit log is newest first, by actor, subject, action and time, as JSON and as CSV", async () => {
  const other = await signInAdmin(world)
  const { userId } = await createPerson(world)
  await world.advance(1)
  const start = world.clock.now().toISOString()
  await admin.json("PUT", `/api/admin/users/${userId}`, { name: "=1+1" })
  await world.advance(60_000)
  const middle = world.clock.now().toISOString()
  await other.json("PUT", `/api/admin/users/${userId}`, { name: "Two" })
  await other.json("PUT", "/api/admin/settings", { key: "trial_days", value: 3 })
  const all = await list("")
  expect(all).toMatchObject({ total: 5, limit: 50, offset: 0 })
  expect(all.items).toMatchObject([
    { action: "setting.update", subject_type: "setting", subject_id: "trial_days", actor_user_id: other.userId },
    { action: "user.update", before: { name: "=1+1" }, after: { name: "Two" }, created_at: middle, actor_name: "Ada" },
    { action: "user.update", before: { name: null }, after: { name: "=1+1" }, created_at: start },
    { action: "user.sign_in", actor_user_id: other.userId },
    { action: "user.sign_in", actor_user_id: admin.userId },
  ])
  expect(all.items[0].audit_id).toBeGreaterThan(all.items[1].audit_id)
  const filters: [string, number][] = [
    [`?actor_user_id=${admin.userId}`, 2],
    [`?actor_user_id=${other.userId}&action=user.update`, 1],
    [`?subject_type=user&subject_id=${userId}`, 2],
    ["?subject_type=user&subject_id=0", 0],
    ["?subject_type=setting", 1],
    ["?action=user.update", 2],
    [`?created_after=${middle}`, 2],
    [`?created_before=${middle}`, 3],
    [`?created_after=${start}&created_before=${middle}`, 1],
  ]
  for (const [query, total] of filters) {
    const page = await list(query)
    expect([page.total, page.items.length], query).toEqual([total, total])
  }
  expect((await list("?limit=1&offset=1")).items).toEqual([all.items[1]])
  const response = await admin.call("GET", "/api/admin/audit?format=csv&action=user.update")
  const [header = [], ...rows] = parseCsv(await response.text())
  expect(rows).toHaveLength(2)
  expect(JSON.parse(rows[1]?.[header.indexOf("after")] ?? "")).toMatchObject({ name: "=1+1" })
  for (const query of ["?limit=201", "?actor=1", "?actor_user_id=x", "?created_after=yesterday", "?format=xml"]) {
    expect((await admin.json("GET", `/api/admin/audit${query}`))[0], query).toBe(422)
  }
})
