/** What the portal's page gets. The page imports these types, so this file imports nothing. */

export const PORTAL_SCOPES = ["usage", "turns", "limits", "wallet", "approvals", "profile"] as const
export type PortalScope = (typeof PORTAL_SCOPES)[number]

/** The languages of the page (dashboard/portal/texts.ts). */
export const PORTAL_LANGS = ["en", "de", "fr", "es", "ja"] as const
export type PortalLang = (typeof PORTAL_LANGS)[number]

export const PORTAL_MODES = ["light", "dark", "auto"] as const

/** The content of the page's `data-frame`. */
export interface ShownFrame {
  /** The origins of pages that get messages. */
  origins: readonly string[]
  accents: { light?: string | undefined; dark?: string | undefined }
  logo: string | null
  mode: (typeof PORTAL_MODES)[number]
  return_url: string | null
  /** Null: the language of the browser. */
  lang: PortalLang | null
}

/** The answer to a code. */
export interface PortalAccess {
  token: string
  /** Not a moment, because the clock of the end user may be wrong. */
  expires_in_seconds: number
  scopes: readonly PortalScope[]
  /** True for the preview of an owner, which decides and changes nothing. */
  preview: boolean
}

export interface PortalDay {
  /** A UTC date. */
  day: string
  charged_usd: number
  turns: number
}

export interface PortalLimit {
  period: "day" | "month"
  /** Null: the amounts would tell what the owner pays. Then only the share is shown. */
  limit_usd: number | null
  left_usd: number | null
  /** The part of the limit that is left: 1 is all of it. */
  left_share: number
  resets_at: string | null
}

/** A limit of the end user's rate, with its use now. */
export interface PortalRate {
  kind: "requests" | "input_tokens" | "turns"
  most: number
  /** Null: not known at the moment. */
  used: number | null
}

export interface PortalWallet {
  available_usd: number
  held_usd: number
  balance_usd: number
  /** The newest first. Notes are the owner's, so they are not shown. */
  entries: { id: number; at: string; reason: string; amount_usd: number }[]
}

export interface PortalApproval {
  turn_id: string
  call: string
  tool: string
  input: unknown
  /** The beginning of the end user's message. Empty without the scope `turns`. */
  excerpt: string
  since: string
  expires_at: string
}

/** A fact of the profile that the end user may change. Null: the profile does not have it. */
export interface PortalFact {
  key: string
  value: string | number | boolean | null
}

/** A part is null without its scope. */
export interface PortalOverview {
  usage: { today_usd: number; month_usd: number; days: PortalDay[] } | null
  limits: { blocked: boolean; limits: PortalLimit[]; rates: PortalRate[] } | null
  wallet: PortalWallet | "none" | null
  approvals: PortalApproval[] | null
  profile: PortalFact[] | null
}

export type PortalWait = "approval" | "result" | "credit" | "limit" | "earlier"

export interface PortalTurn {
  turn_id: string
  /** As a turn's, and `waiting` for a running turn that waits. */
  state: string
  /** Why it waits, or cannot start. `earlier`: an earlier turn of its conversation waits. */
  waits_for: PortalWait | null
  excerpt: string
  charged_usd: number
  created_at: string
  finished_at: string | null
}

export interface PortalTurnTexts extends PortalTurn {
  text: string
  result: string | null
}

/** The stream of a turn, as the address of an EventSource. Null: a preview has none. */
export interface PortalWatch {
  url: string | null
}

/** The messages to the page that frames the portal. */
export type PortalMessage = { type: "turnpike.portal.expired" } | { type: "turnpike.portal.height"; height: number }
