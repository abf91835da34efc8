import type { AdminFixtures } from "./admin-requests.ts"

export const ADMIN_SYSTEM: AdminFixtures = {
  getSystem: async () => ({}),
  reconcile: async () => ({}),
  listSettings: async () => ({}),
  updateSetting: async ({ random }) => ({ body: { key: "trial_days", value: 1 + random.int(3000) } }),
  listExternalApiKeys: async () => ({}),
  updateExternalApiKey: async ({ random }) => ({
    params: { key_id: "engines.SPARE_KEY" },
    body: { value: `canary-value-of-a-key-${random.int(1_000_000_000)}` },
  }),
}
