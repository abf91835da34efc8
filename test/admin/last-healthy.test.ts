import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { storeAccount } from "../harness/provider-accounts.ts"
import { createWorld, type World } from "../harness/world.ts"

const PROVIDERS = "/api/admin/providers"

interface Account {
  provider_id: string
  last_healthy: boolean
}

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

beforeEach(() => world.sql("delete from provider_accounts"))

const alt = (account: Parameters<typeof storeAccount>[1] = {}) => storeAccount(world, { pool: "alt-pool", ...account })
const post = async (id: string, verb: string): Promise<Account> =>
  (await admin.json("POST", `${PROVIDERS}/${id}/${verb}`, verb === "disable" ? {} : undefined))[1]
const remove = async (id: string): Promise<Account> => (await admin.json("DELETE", `${PROVIDERS}/${id}`))[1]

/** The ids of accounts with `last_healthy`, in the list of the main pool and in the alt-pool. */
async function lastHealthy(): Promise<string[][]> {
  const [, list] = await admin.json("GET", PROVIDERS)
  const [, pool] = await admin.json("GET", `${PROVIDERS}/alt-pool`)
  const lastOf = (accounts: Account[]) => accounts.filter((one) => one.last_healthy).map((one) => one.provider_id)
  return [lastOf(list.items), lastOf(pool.accounts)]
}

describe("The last healthy account of a pool", () => {
  test("Each list names the only enabled and healthy account of a pool, and none while there are two", async () => {
    expect(await lastHealthy(), "empty pools").toEqual([[], []])
    const [a, b] = [await alt(), await alt({ cool_until: new Date(world.clock.ms() + 3_600_000) })]
    const main = await storeAccount(world)
    expect(await lastHealthy(), "a cooling account is healthy").toEqual([[main], []])
    expect(await post(a, "disable")).toMatchObject({ provider_id: a, last_healthy: false })
    expect(await lastHealthy()).toEqual([[main], [b]])
    expect(await post(a, "enable")).toMatchObject({ provider_id: a, last_healthy: false })
    expect(await lastHealthy()).toEqual([[main], []])
  })

  test.each([
    ["needs a login", "update provider_accounts set health = 'needs_login' where provider_id = $1"],
    ["is contained", "update provider_accounts set health = 'contained' where provider_id = $1"],
    ["has no credential", "delete from provider_credentials where provider_id = $1"],
    [
      "is suspended",
      "update provider_states set suspended_at = now(), suspended_reason = 'no_credit', cool_until = now() where provider_id = $1",
    ],
  ])("An account that %s leaves the other one as the last healthy one", async (_name, change) => {
    const [a, b] = [await alt(), await alt()]
    await world.sql(change, [a])
    expect(await lastHealthy()).toEqual([[], [b]])
  })

  test("The response to a removal says whether it emptied the pool, and names no account of another pool", async () => {
    const [a, b, main] = [await alt(), await alt(), await storeAccount(world)]
    expect(await remove(a), "one is left").toMatchObject({ provider_id: a, last_healthy: false })
    expect(await lastHealthy()).toEqual([[main], [b]])
    expect(await remove(b), "none is left").toMatchObject({ provider_id: b, last_healthy: true })
    expect(await lastHealthy()).toEqual([[main], []])
    const disabled = await alt({ disabled_at: world.clock.now() })
    expect(await remove(disabled), "the pool was empty before").toMatchObject({ last_healthy: false })
    expect(await remove(main)).toMatchObject({ last_healthy: true })
  })
})
