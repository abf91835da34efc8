import type { QueryWord } from "../api/words.ts"

export const ACCOUNT_TABS = ["sign-in", "sessions", "limits", "alerts"] as const
export type AccountTab = (typeof ACCOUNT_TABS)[number]

/** The events that tell an owner to do something. */
export const ALERT_TYPES = [
  "cap.reached",
  "balance.low",
  "balance.depleted",
  "endpoint.disabled",
] as const satisfies QueryWord<"listEvents", "type">[]
export type AlertType = (typeof ALERT_TYPES)[number]
