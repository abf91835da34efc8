import type { QueryWord } from "../api/words.ts"
import { accountPages } from "./pages.ts"

export const ACCOUNT_TABS = accountPages.account.tabs
export type AccountTab = (typeof ACCOUNT_TABS)[number]

/** The types of events that need an action of the account's owner. */
export const ALERT_TYPES = [
  "cap.reached",
  "balance.low",
  "balance.depleted",
  "budget.reached",
  "anomaly.found",
  "endpoint.disabled",
] as const satisfies QueryWord<"listEvents", "type">[]
export type AlertType = (typeof ALERT_TYPES)[number]
