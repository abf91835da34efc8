import { afterAll, beforeAll, expect, test } from "vitest"
import { INVENTORY_SORTS } from "../../src/spaces/list-inventory.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const { userId } = await world.createAccount()
  // Every third space has no cost, and many costs are equal.
  await world.sql(
    `with made as (insert into spaces (slug, user_id, title, created_at, updated_at)
       select 'spc_' || n, $1, 'Space ' || n % 100, now(), now() from generate_series(1, 1100) n returning space_id)
     insert into space_totals select space_id, space_id % 7, space_id % 50, now() - space_id % 20 * interval '1 day'
     from made where space_id % 3 > 0`,
    [userId],
  )
})
afterAll(() => world.close())

test.each(INVENTORY_SORTS.flatMap((sort) => ["asc", "desc"].map((direction) => ({ sort, direction }))))(
  "Deep pages of the list of spaces sorted by $sort, $direction, continue where the previous page ended",
  async (order) => {
    const page = async (limit: number, offset: number): Promise<number[]> => {
      const query = new URLSearchParams({ ...order, limit: String(limit), offset: String(offset) })
      const [status, { items, total }] = await admin.json("GET", `/api/admin/spaces/list?${query}`)
      expect([status, total]).toEqual([200, 1100])
      return items.map(({ space_id }: { space_id: number }) => space_id)
    }
    const pages = await Promise.all([0, 200, 400, 600, 800].map((offset) => page(200, offset)))
    const all = [...pages.flat(), ...(await page(200, 1_000))]
    expect(new Set(all).size).toBe(1100)
    expect(await page(200, 950)).toEqual(all.slice(950))
  },
)
