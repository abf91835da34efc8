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

test("The audit log is newest first and filters by actor, subject, action and time, as JSON and as CSV", async () => {
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

test("New entries during a CSV export neither repeat nor hide a row", async () => {
  const { userId } = await createPerson(world)
  const [COUNT, PAGE] = [2_500, 1_000]
  await world.sql(
    `insert into audit_log (actor_user_id, action, subject_type, subject_id, created_at)
     select $1, 'user.update', 'user', n::text, $2 from generate_series(1, ${COUNT}) n`,
    [admin.userId, world.clock.now()],
  )
  await world.sql(`insert into users (name, created_at) select 'many', $1 from generate_series(1, ${COUNT})`, [
    world.clock.now(),
  ])
  const book = `insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, reference, actor, created_at)
    select $1, 'admin_grant', 1, n, $2 || n, 'test', $3 from generate_series(1, $4::integer) n`
  await world.sql(book, [userId, "csv:", world.clock.now(), COUNT])
  const lists = [
    ["/api/admin/audit?format=csv", "audit_id"],
    ["/api/admin/users?format=csv&q=many", "user_id"],
    [`/api/admin/users/${userId}/energy?format=csv`, "ledger_id"],
  ] as const
  for (const [path, id] of lists) {
    const response = await admin.call("GET", path)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    for (let n = 0; ; n++) {
      const { done, value = "" } = (await reader?.read()) ?? { done: true }
      if (done) break
      text += value
      await world.sql("insert into users (name) values ('many')")
      await world.sql(book, [userId, `${crypto.randomUUID()}:`, world.clock.now(), 1])
      await admin.json("PUT", `/api/admin/users/${userId}`, { name: `${path} ${n}` })
    }
    const [header = [], ...rows] = parseCsv(text)
    const ids = rows.map((row) => Number(row[header.indexOf(id)]))
    expect(ids.length, path).toBeGreaterThanOrEqual(COUNT)
    expect(new Set(ids).size, path).toBe(ids.length)
    expect(ids, path).toEqual(ids.toSorted((a, b) => b - a))
  }
  expect(COUNT).toBeGreaterThan(2 * PAGE)
})
