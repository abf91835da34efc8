import type { ApiKey, CapState, SetCaps } from "../api/operations.ts"
import { plainNumber, typedOrNull } from "../ui/plain.ts"

type Scope = ApiKey["scope"]

/** The three scopes, each with its use case and a short form for tables. */
export const KEY_SCOPES: Record<Scope, { title: string; about: string; reach: string }> = {
  created: {
    title: "Created: its own spaces",
    about: "Only spaces that this key creates. Recommended for a product that creates a space per customer.",
    reach: "spaces it creates",
  },
  space: {
    title: "Space: one space",
    about: "One existing space. For a single agent that you have configured here.",
    reach: "one space",
  },
  all: {
    title: "All: every space of the account",
    about:
      "Every space, including spaces that other keys and users create later. For internal tools; keep this key safe.",
    reach: "all spaces",
  },
}

/** How long the old value of a rotated key or signing secret stays valid, in seconds. */
export const OVERLAPS = [
  ["86400", "In 24 hours"],
  ["3600", "In 1 hour"],
  ["0", "Immediately"],
] as const

/** The state of a key. A revoked key stays "revoked" after its expiry. */
export function keyState({ revoked_at, expires_at }: ApiKey, now = Date.now()): "active" | "revoked" | "expired" {
  if (revoked_at) return "revoked"
  return expires_at && Date.parse(expires_at) <= now ? "expired" : "active"
}

const CAP_LABELS: Record<keyof SetCaps, readonly [label: string, hint: string]> = {
  daily_usd: ["Daily cap (USD)", "Maximum spend per UTC day. 0: the key can spend nothing."],
  monthly_usd: ["Monthly cap (USD)", "Maximum spend per UTC month."],
  window_usd: ["Window cap (USD)", "Maximum spend in a window, which starts with its first turn."],
  window_seconds: ["Window length (seconds)", "Only together with a window cap."],
  end_user_daily_usd: ["Daily cap per end user (USD)", "For each end user without a cap of their own."],
  end_user_monthly_usd: ["Monthly cap per end user (USD)", "The same per UTC month."],
}

export const CAP_FIELDS = Object.entries(CAP_LABELS).map(
  ([name, [label, hint]]) => [name as keyof SetCaps, label, hint] as const,
)

export type CapTexts = Record<keyof SetCaps, string>

const textOf = (cap: number | string | null | undefined) => (typeof cap === "number" ? plainNumber(cap) : (cap ?? ""))

export const textsOfCaps = (caps: SetCaps): CapTexts =>
  Object.fromEntries(CAP_FIELDS.map(([name]) => [name, textOf(caps[name])])) as CapTexts

/** An empty field means no cap. Text that is not a number is sent unchanged, and the API rejects it. */
export const capsOfTexts = (texts: CapTexts): SetCaps =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, typedOrNull(text)])) as SetCaps

export const CAP_TITLES: Record<CapState["cap"], string> = {
  key_daily: "Daily",
  key_monthly: "Monthly",
  key_window: "Window",
  end_user_daily: "End user, daily",
  end_user_monthly: "End user, monthly",
  account_daily: "Account, daily",
  members_daily: "Members, daily",
}

const DAY_MS = 86_400_000

/** Choices for the expiry of a key, in days from now. */
export const EXPIRIES = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const

export interface KeyExpiry {
  /** The choice: a number of days, or empty for never. */
  days: string
  at: string | null
}

export const NO_EXPIRY: KeyExpiry = { days: "", at: null }

/** The expiry of a key by the chosen number of days from now. */
export const expiryOf = (days: string): KeyExpiry =>
  Number(days) > 0 ? { days, at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() } : { days, at: null }
