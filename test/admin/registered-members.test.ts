import { afterAll, beforeAll, expect, test } from "vitest"
import { SPACES, shareSpace } from "../harness/shared-space.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Operators see a space's members even if its owner is disabled and the space is archived", async () => {
  const { admin, owner, people, space } = await shareSpace(world, "registered")
  const registered = async () => {
    const [, { total, items }] = await admin.json("GET", `/api/admin/spaces/by-key/space:${space}`)
    const spaces = Object.values(people).map(async ({ userId }) => {
      const [, list] = await admin.json("GET", `/api/admin/users/${userId}/spaces`)
      return [list.total, ...list.items.map((item: { slug: string; role: string }) => [item.slug, item.role])]
    })
    return { total, items, spaces: await Promise.all(spaces) }
  }
  const before = await registered()
  expect(before.items.map((item: { user_id: number; role: string }) => [item.user_id, item.role])).toEqual([
    [owner.userId, "owner"],
    ...["owner", "admin"].map((way) => [people[way as "owner"].userId, "admin"]),
    ...["member", "team", "guest"].map((way) => [people[way as "member"].userId, "member"]),
  ])
  expect(before.spaces).toEqual(["admin", "admin", "member", "member", "member"].map((role) => [1, [space, role]]))
  await admin.json("PUT", `/api/admin/users/${owner.userId}`, { disabled: true })
  expect((await people.member.json("GET", `${SPACES}/${space}`))[0]).toBe(404)
  expect(await registered()).toEqual(before)
})
