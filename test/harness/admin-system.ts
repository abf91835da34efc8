import type { AdminFixtures } from "./admin-requests.ts"

export const ADMIN_SYSTEM: AdminFixtures = {
  getSystem: async () => ({}),
  reconcile: async () => ({}),
  listSettings: async () => ({}),
  updateSetting: async ({ random }) => ({ body: { key: "trial_days", value: 1 + random.int(3000) } }),
  listContainerMappings: async () => ({}),
  putContainerMapping: async ({ client, random }) => ({
    body: {
      container: "sandbox",
      space: await client.space(),
      url: `https://sandbox.internal/${random.int(1_000_000)}`,
      headers: { authorization: "Bearer canary-of-a-container" },
    },
  }),
  listExternalApiKeys: async () => ({}),
  updateExternalApiKey: async ({ random }) => ({
    params: { key_id: "engines.SPARE_KEY" },
    body: { value: `canary-value-of-a-key-${random.int(1_000_000_000)}` },
  }),
}
