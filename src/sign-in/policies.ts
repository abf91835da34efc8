import { ERROR_TIMES } from "../base/policies.ts"
import { DAY_MS } from "../base/time.ts"
import { BOARD_UPDATES } from "../boards/policies.ts"

/**
 * How long a session lasts after its last use, and how often a use is written (docs/architecture/sign-in.md). However much it is used,
 * it ends after 90 days, and an admin's after 12 hours: `session_life` (src/actor/caller.sql).
 */
export const SESSION_POLICY = {
  lifeMs: 30 * DAY_MS,
  noteUseMs: 3_600_000,
  /** How long it waits for the code of a second factor. */
  factorMs: ERROR_TIMES.factorMs,
  /** How long one that is over is kept: it says where an owner has signed in before. */
  keptMs: 30 * DAY_MS,
  /** How many an account has open, how many of its newest ones are kept, and up to how many places a day its owner is told of new ones. */
  mostOpen: 100,
  mostKept: 300,
  placesTold: 20,
} as const

/**
 * Codes of a second factor (RFC 6238), and how often one may be tried: in one login (or session) that waits for it, and for an account at
 * each place where it has been signed in, and at all other places together. Who knows a password alone uses up the tries of their own
 * login and of strange places, and keeps the owner out of no place that is known. Guessing stays out of reach: three codes of a million
 * count at a time, so the 96 tries that a day has at strange places find one with a chance of 0.03 %.
 */
export const FACTOR_POLICY = {
  digits: 6,
  periodSeconds: 30,
  /** How many time steps the app's clock may be off. */
  window: 1,
  recoveryCodes: 10,
  inOneLogin: { burst: 5, intervalMs: 5 * 60_000 },
  atKnownPlace: { burst: 10, intervalMs: 5 * 60_000 },
  elsewhere: { burst: 20, intervalMs: 15 * 60_000 },
} as const

/** How long an admin acts as a user. The cookie outlives that, so the browser is told of the end, and not answered as the admin. */
export const ACTING_POLICY = { lifeMs: 30 * 60_000, cookieMs: DAY_MS } as const

/** Limits of requests to identity providers. */
export const OIDC_POLICY = {
  timeoutMs: 8_000,
  maxBytes: 256 * 1024,
  /** How far a provider's clock may be from ours. */
  toleranceSeconds: 30,
  /** How long a provider's metadata are kept. */
  metadataMs: 5 * 60_000,
  retryAfterSeconds: 5,
} as const

/** What one-time tokens are for, and how long each lives (docs/architecture/sign-in.md, docs/contract.md). */
export const TOKEN_POLICY = {
  /** Opens a session: a magic link, or with `appMs` an app's webview. */
  sign_in: { ttlMs: 10 * 60_000, appMs: 60_000 },
  /** A login that is confirmed in the messaging platform's bot. */
  web_login: { ttlMs: 5 * 60_000 },
  /** The way to an identity provider and back. */
  oauth_state: { ttlMs: ERROR_TIMES.oauthStateMs },
  /** Sets a new password. */
  password_reset: { ttlMs: 30 * 60_000 },
} as const

export type TokenPurpose = keyof typeof TOKEN_POLICY

/**
 * How often a password may be tried: `burst` times at once, then once in each `intervalMs`. Right passwords do not count. The account's
 * own limit applies at addresses where it never had a session, so nobody can lock its owner out.
 */
export const LOGIN_POLICY = {
  accountAtAddress: { burst: 10, intervalMs: 60_000 },
  address: { burst: 30, intervalMs: 20_000 },
  accountElsewhere: { burst: 60, intervalMs: 60_000 },
} as const

/** How often a link to set a new password may be asked for. */
export const RESET_POLICY = {
  address: { burst: 10, intervalMs: 60_000 },
  email: { burst: 3, intervalMs: 10 * 60_000 },
} as const

export const PASSWORD_POLICY = {
  minLength: 8,
  maxLength: 256,
  /** How many an isolate hashes at a time, and how many wait for that; all others are told to come again. */
  atOnce: 2,
  waiting: 16,
} as const

/** How old launch data may be, and how far the platform's clock may be ahead of ours (docs/architecture/sign-in.md). */
export const LAUNCH_POLICY = {
  maxAgeMs: 5 * 60_000,
  maxAheadMs: 30_000,
} as const

export const BOT_POLICY = {
  /** The kinds of updates that a brand's bot asks for. */
  updates: ["callback_query", ...BOARD_UPDATES],
  /** The platform repeats an unanswered update for at most a day. */
  updateMs: 24 * 3_600_000,
} as const
