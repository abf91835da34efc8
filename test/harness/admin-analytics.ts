import type { AdminFixtures } from "./admin-requests.ts"

export const ADMIN_ANALYTICS: AdminFixtures = {
  getErrorsReport: async () => ({ query: "?days=2" }),
}
