import type { Rate } from "../platform/rate-limit.ts"

interface Door extends Rate {
  /**
   * "tries": every request counts, before it runs. "failures": only rejected requests count, so a
   * client with a valid token never waits.
   */
  counts: "tries" | "failures"
  /** The header with a server's secret. Servers may share an address with other clients. */
  secret?: string
}

export const INTERNAL_SECRET = "X-Internal-Secret"
/** The messaging platform sets it to the `secret_token` of setWebhook. */
export const BOT_SECRET = "X-Telegram-Bot-Api-Secret-Token"

const usual = { burst: 30, everyMs: 2_000 }

/**
 * All operations without a session or key, with their limits by address: IPv6 by /64, and more by
 * /56 and /48 (src/platform/rate-limit.ts). Passwords also have limits by account (LOGIN_POLICY).
 */
export const DOORS: Record<string, Door> = {
  "POST /api/auth/login": { counts: "tries", burst: 120, everyMs: 500 },
  // Pages read it: of the docs and of the web app.
  "GET /api/auth/ways": { counts: "tries", burst: 240, everyMs: 250 },
  "POST /api/auth/magic": { counts: "failures", ...usual },
  // The state of these flows is stored for minutes.
  "POST /api/auth/tg-login/start": { counts: "tries", ...usual },
  "GET /api/auth/oauth-login/start": { counts: "tries", ...usual },
  "GET /api/auth/tg-login/status": { counts: "failures", ...usual },
  "GET /api/auth/oauth-login/callback": { counts: "failures", ...usual },
  "POST /api/auth/messenger-webapp": { counts: "failures", ...usual },
  "POST /api/auth/password-reset/start": { counts: "tries", ...usual },
  "POST /api/auth/password-reset": { counts: "failures", ...usual },
  "POST /api/auth/invitations": { counts: "failures", ...usual },
  "POST /api/auth/invitations/join": { counts: "failures", ...usual },
  "POST /api/auth/idp/session": { counts: "failures", secret: INTERNAL_SECRET, ...usual },
  "POST /api/auth/bot": { counts: "failures", secret: BOT_SECRET, ...usual },
}

/** The limit of unknown API keys from one address. Requests with an existing key have no limit (docs/contract.md). */
export const UNKNOWN_KEYS = { burst: 60, everyMs: 1_000 } as const

/** How many accepted API keys and servers' secrets an isolate remembers. */
export const REMEMBERED_KEYS = 10_000

/** Time limits of bodies, in milliseconds. */
export const BODY_POLICY = {
  /** For a whole JSON body. */
  jsonMs: 30_000,
  /** For an upload without new bytes, and for a response that the client does not read. */
  idleMs: 30_000,
} as const

/** The announcement of the end of an operation. */
export const DEPRECATION_POLICY = {
  /** The least days from the announcement to the end. */
  noticeDays: 365,
}
