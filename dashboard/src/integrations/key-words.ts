import type { ApiKey, CapState, SetCaps } from "../api/operations.ts"
import { plainNumber } from "../ui/plain.ts"

type Scope = ApiKey["scope"]

/** The three scopes: who wants which, and what it can reach. */
export const KEY_SCOPES: Record<Scope, { title: string; about: string; reach: string }> = {
  created: {
    title: "Created: spaces of its own",
    about: "Only spaces that this key creates. Recommended for a product that makes a space for each of its customers.",
    reach: "spaces it creates",
  },
  space: {
    title: "Space: one space",
    about: "One space that there is already. For a single agent that you have set up here.",
    reach: "one space",
  },
  all: {
    title: "All: every space of the account",
    about: "Every space, also those that other keys and people make later. For tools of your own; keep it closely.",
    reach: "all spaces",
  },
}

/** What becomes of a key now: it works, it has been revoked, or its time is over. */
export function keyState({ revoked_at, expires_at }: ApiKey, now = Date.now()): "active" | "revoked" | "expired" {
  if (revoked_at) return "revoked"
  return expires_at && Date.parse(expires_at) <= now ? "expired" : "active"
}

const CAP_LABELS: Record<keyof SetCaps, readonly [label: string, hint: string]> = {
  daily_usd: ["A day, USD", "What the key may spend in a UTC day; 0: nothing."],
  window_usd: ["A window, USD", "What it may spend in a window that its first turn opens."],
  window_seconds: ["Length of the window, seconds", "With the amount of the window only."],
  end_user_daily_usd: ["An end user's day, USD", "For each of your customers without a limit of their own."],
  end_user_monthly_usd: ["An end user's month, USD", "The same for a UTC month."],
}

export const CAP_FIELDS = Object.entries(CAP_LABELS).map(
  ([name, [label, hint]]) => [name as keyof SetCaps, label, hint] as const,
)

export type CapTexts = Record<keyof SetCaps, string>

const textOf = (cap: number | null | undefined) => (typeof cap === "number" ? plainNumber(cap) : "")

export const textsOfCaps = (caps: SetCaps): CapTexts =>
  Object.fromEntries(CAP_FIELDS.map(([name]) => [name, textOf(caps[name])])) as CapTexts

/** An empty field is no cap. What is no number is sent as it is, for the API to say so. */
export const capsOfTexts = (texts: CapTexts): SetCaps =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text.trim() === "" ? null : numberOf(text)]),
  ) as SetCaps

function numberOf(text: string): number {
  const number = Number(text)
  return Number.isNaN(number) ? (text as unknown as number) : number
}

export const CAP_TITLES: Record<CapState["cap"], string> = {
  key_daily: "A day",
  key_window: "A window",
  end_user_daily: "An end user's day",
  end_user_monthly: "An end user's month",
  account_daily: "The account's day",
  members_daily: "The members' day",
}

const DAY_MS = 86_400_000

/** Choices for when a key ends, as days from now. */
export const EXPIRIES = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const

export const expiryOf = (days: string) => (days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null)
