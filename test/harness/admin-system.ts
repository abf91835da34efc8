import type { AdminFixtures } from "./admin-requests.ts"

export const ADMIN_SYSTEM: AdminFixtures = {
  getSystem: async () => ({}),
  reconcile: async () => ({}),
  listSettings: async () => ({}),
  updateSetting: async ({ random }) => ({ body: { key: "trial_days", value: 1 + random.int(3000) } }),
}
