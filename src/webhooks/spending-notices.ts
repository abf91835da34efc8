import * as z from "zod"

/** An end user, a key or a space spends far above its pattern (src/spending/tell-anomalies.sql). */
export const ANOMALY_FOUND = {
  label: "An end user, a key or a space spends far above its pattern",
  when:
    "An end user, a key or a space was billed far above its usual amount on a day (UTC). It is sent once, also if it continues " +
    "on the next day.",
  data: {
    anomaly_id: z.string(),
    end_user_ref: z.string().nullable(),
    key_id: z.string().nullable(),
    space: z.string().nullable(),
    day: z.string(),
    spent_usd: z.number(),
    usual_usd: z.number(),
  },
  example: {
    anomaly_id: "ano_01jd3k9m2x4t8r5w6y7z0a1b2c",
    end_user_ref: "customer-42",
    key_id: null,
    space: null,
    day: "2026-01-05",
    spent_usd: 12.4,
    usual_usd: 1.1,
  },
}

/** A budget (src/spending/tell-budget.sql). */
export const BUDGET_REACHED = {
  label: "A part of the budget was spent",
  when:
    "`percent` of the account's budget for the month is spent (`alert` is `spent`), or the forecast of the month exceeds it " +
    "(`forecast`). Each is sent once a month, and again after a change of the amount. A budget refuses no turns.",
  data: {
    alert: z.enum(["spent", "forecast"]),
    percent: z.int().nullable(),
    month: z.string(),
    budget_usd: z.number(),
    spent_usd: z.number(),
    expected_usd: z.number().nullable(),
  },
  example: {
    alert: "spent" as const,
    percent: 80,
    month: "2026-01",
    budget_usd: 50,
    spent_usd: 40.02,
    expected_usd: 63.5,
  },
}
