import { afterAll, beforeAll, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY = 24 * 3_600_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Sessions that ended a month ago are deleted, with their acting records, and no others", async () => {
  const admin = await createPerson(world, { role: "admin" })
  const user = await createPerson(world)
  const browser = await world.signIn(admin.userId)
  await browser.call("POST", `/api/admin/users/${user.userId}/act-as`, {})
  const used = await world.signIn(user.userId)
  const left = async () =>
    (await world.sql<{ id: string }>("select session_id as id from sessions order by session_id")).map(({ id }) => id)
  await world.advance(29 * DAY)
  expect((await used.call("GET", "/api/auth/me")).status).toBe(200)
  await world.sweep()
  expect(await left()).toEqual([browser.sessionId, used.sessionId].sort())
  await world.advance(2 * DAY)
  await world.sweep()
  expect(await left(), "the admin's session ended a month ago").toEqual([used.sessionId])
  expect(await world.sql("select * from acting_sessions")).toEqual([])
  expect((await used.call("GET", "/api/auth/me")).status).toBe(200)
})
