import type { Rate } from "../platform/rate-limit.ts"

interface Door extends Rate {
  /** "tries": each request counts, before it does anything. "failures": only one that is refused, so who has the right token never waits. */
  counts: "tries" | "failures"
  /** The header with the secret of servers that call it, from addresses that they may share with strangers. */
  secret?: string
}

export const INTERNAL_SECRET = "X-Internal-Secret"
/** The messaging platform sets it to the `secret_token` of setWebhook. */
export const BOT_SECRET = "X-Telegram-Bot-Api-Secret-Token"

const usual = { burst: 30, everyMs: 2_000 }

/**
 * Every operation that needs neither session nor key, and how often an address may come: IPv6 by /64, and more by /56 and /48
 * (src/platform/rate-limit.ts). Wrong passwords have limits by account too (LOGIN_POLICY).
 */
export const DOORS: Record<string, Door> = {
  "POST /api/auth/login": { counts: "tries", burst: 120, everyMs: 500 },
  "POST /api/auth/magic": { counts: "failures", ...usual },
  // What they begin is kept for minutes.
  "POST /api/auth/tg-login/start": { counts: "tries", ...usual },
  "GET /api/auth/oauth-login/start": { counts: "tries", ...usual },
  "GET /api/auth/tg-login/status": { counts: "failures", ...usual },
  "GET /api/auth/oauth-login/callback": { counts: "failures", ...usual },
  "POST /api/auth/messenger-webapp": { counts: "failures", ...usual },
  "POST /api/auth/password-reset/start": { counts: "tries", ...usual },
  "POST /api/auth/password-reset": { counts: "failures", ...usual },
  "POST /api/auth/idp/session": { counts: "failures", secret: INTERNAL_SECRET, ...usual },
  "POST /api/auth/bot": { counts: "failures", secret: BOT_SECRET, ...usual },
}

/** API keys that do not exist, from one address. A key that does exist has no limit of requests (docs/contract.md). */
export const UNKNOWN_KEYS = { burst: 60, everyMs: 1_000 } as const

/** So many API keys and servers' secrets an isolate remembers as valid. */
export const REMEMBERED_KEYS = 10_000

/** How long bodies may take, in milliseconds. */
export const BODY_POLICY = {
  /** A JSON body until its last byte. */
  jsonMs: 30_000,
  /** An upload that brings nothing, and an answer of which its reader takes nothing. */
  idleMs: 30_000,
} as const
