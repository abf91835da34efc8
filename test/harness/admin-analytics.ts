import type { AdminEstate, AdminFixtures } from "./admin-requests.ts"

/** With a turn that has ended now, so that a report has something to show. */
const used = (query: string) => async (estate: AdminEstate) => {
  const { client } = estate
  await client.runTurn({ space: await client.space() })
  return { query }
}

export const ADMIN_ANALYTICS: AdminFixtures = {
  getContextComparison: used("?days=2"),
  getDailyUsage: used("?days=2&group_by=slug"),
  getTopUsers: used("?days=2&limit=3"),
  getErrorsReport: async () => ({ query: "?days=2" }),
  getContextSize: used("?days=2"),
  getTopSpaces: used("?days=2&limit=3"),
  getHourlyUsage: used("?days=2"),
  getHourlySpaces: used("?start=2026-11-20T00:00:00Z&end=2026-11-20T18:00:00Z&top=2"),
}
