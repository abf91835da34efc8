import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { storeAccount } from "../harness/provider-accounts.ts"
import { createWorld, type World } from "../harness/world.ts"

const ROUNDS = 30

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Of two admins who disable the last two healthy accounts, exactly one succeeds", async () => {
  const [ada, eve] = [await signInAdmin(world), await signInAdmin(world)]
  const base = "/api/admin/providers"
  const ways = [
    (admin: Admin, id: string) => admin.json("POST", `${base}/alt-pool/accounts/${id}/disable`),
    (admin: Admin, id: string) => admin.json("POST", `${base}/${id}/disable`, {}),
  ]
  for (let round = 0; round < ROUNDS; round++) {
    await world.sql("delete from provider_accounts")
    const [a, b] = [await storeAccount(world, { pool: "alt-pool" }), await storeAccount(world, { pool: "alt-pool" })]
    const [mine, theirs] = [ways[round % 2], ways[Math.floor(round / 2) % 2]]
    if (!mine || !theirs) throw new Error("there are two ways")
    const answers = await Promise.all([mine(ada, a), theirs(eve, b)])
    expect(answers.map(([status]) => status).sort(), `round ${round}`).toEqual([200, 409])
    expect(answers.find(([status]) => status === 409)?.[1]).toMatchObject({ code: "LAST_HEALTHY_ACCOUNT" })
    const left = await world.sql("select 1 from provider_accounts where disabled_at is null")
    expect(left, `round ${round}`).toHaveLength(1)
    const entries = await world.sql("select 1 from audit_log where subject_id in ($1, $2)", [a, b])
    expect(entries).toHaveLength(1)
  }
})
