import type { AdminFixtures } from "./admin-requests.ts"

export const ADMIN_MONEY: AdminFixtures = {
  getEnergyTimeline: async () => ({ query: "?days=7" }),
  getBalanceTrend: async () => ({ query: "?all_time=true&active_window_days=7" }),
  getCostsReport: async () => ({ query: "?days=2" }),
  getCostRatesReport: async ({ client }) => ({ query: `?days=2&user_id=${client.userId}` }),
  getSubscriptionSpaces: async () => ({ query: "?subscription_id=rehearsal" }),
  getUserCostsReport: async () => ({ query: "?limit=3" }),
  getUsageBreakdown: async () => ({ query: "?dimension=model" }),
}
