import { afterAll, beforeAll, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { isThorough } from "../harness/crash.ts"
import { createWorld, type World } from "../harness/world.ts"

const ROUNDS = isThorough ? 30 : 8

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Of two admins who demote or disable each other, exactly one succeeds, and one admin is left", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    await world.sql("update users set role = 'user'")
    const [a, b] = [await signInAdmin(world), await signInAdmin(world)]
    const lose = round % 2 ? { disabled: true } : { role: "user" }
    const strike = (from: Admin, to: Admin) => from.json("PUT", `/api/admin/users/${to.userId}`, lose)
    const answers = await Promise.all([strike(a, b), strike(b, a)])
    const statuses = answers.map(([status]) => status).sort()
    expect(statuses[0]).toBe(200)
    expect([401, 403, 409]).toContain(statuses[1])
    const left = await world.sql("select 1 from users where role = 'admin' and disabled_at is null")
    expect(left, `round ${round}`).toHaveLength(1)
    const entries = await world.sql(
      "select 1 from audit_log where subject_id in ($1, $2) and action <> 'user.sign_in'",
      [String(a.userId), String(b.userId)],
    )
    expect(entries).toHaveLength(1)
  }
})

test("Of two edits of one version, exactly one succeeds", async () => {
  const admin = await signInAdmin(world)
  for (let round = 0; round < ROUNDS; round++) {
    const { userId } = await createPerson(world)
    const edit = (name: string) => admin.json("PUT", `/api/admin/users/${userId}`, { name }, { "if-match": '"1"' })
    const answers = await Promise.all([edit("one"), edit("two")])
    expect(answers.map(([status]) => status).sort()).toEqual([200, 412])
    const refused = answers.find(([status]) => status === 412)?.[1]
    expect(refused.details.current).toMatchObject({ version: 2, name: answers.find(([s]) => s === 200)?.[1].name })
  }
})
