import type { AdminFixtures } from "./admin-requests.ts"
import { storeAccount } from "./provider-accounts.ts"

const ANSWER = { headers: { "anthropic-ratelimit-unified-5h-utilization": "0.25" } }

export const ADMIN_PROVIDERS: AdminFixtures = {
  listProviders: async ({ world }) => {
    await storeAccount(world)
    return {}
  },
  getPools: async () => ({}),
  getCapacity: async () => ({ query: "?hours=24&provider=alt-pool" }),
  disableProvider: async ({ world }) => ({
    params: { provider_id: await storeAccount(world) },
    body: { reason: "Paid until Friday" },
  }),
  enableProvider: async ({ world }) => ({
    params: { provider_id: await storeAccount(world, { disabled_at: world.clock.now() }) },
  }),
  refreshProviderLimits: async ({ world }) => {
    world.serve("models.provider.example", () => Response.json({ data: [] }, ANSWER))
    return { params: { provider_id: await storeAccount(world) } }
  },
  removeProvider: async ({ world }) => ({ params: { provider_id: await storeAccount(world) } }),
  getAltPool: async ({ world }) => {
    await storeAccount(world, { pool: "alt-pool" })
    return {}
  },
  disableAltPoolAccount: async ({ world }) => {
    await storeAccount(world, { pool: "alt-pool" })
    return { params: { account_id: await storeAccount(world, { pool: "alt-pool" }) } }
  },
  enableAltPoolAccount: async ({ world }) => ({
    params: { account_id: await storeAccount(world, { pool: "alt-pool", disabled_at: world.clock.now() }) },
  }),
}
