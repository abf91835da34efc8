import { ERROR_TIMES } from "../base/policies.ts"
import { DAY_MS } from "../base/time.ts"
import { BOARD_UPDATES } from "../boards/policies.ts"

/**
 * A session's lifetime after its last use, and how often a use is written
 * (docs/architecture/sign-in.md). `session_life()` (src/actor/caller.sql) also limits a session to
 * 90 days, and an admin's to 12 hours.
 */
export const SESSION_POLICY = {
  lifeMs: 30 * DAY_MS,
  noteUseMs: 3_600_000,
  /** How long a session waits for the code of a second factor. */
  factorMs: ERROR_TIMES.factorMs,
  /** The most open sessions, the most kept sessions, and the most notices of new places per day, of one account. */
  mostOpen: 100,
  mostKept: 300,
  placesTold: 20,
} as const

/**
 * Codes of a second factor (RFC 6238), and the limits of tries: per login or session, per account at each known place,
 * and per account at all other places. An attacker with the password cannot lock the owner out at known places. Three
 * codes of a million are valid at a time, so 96 tries per day at unknown places succeed with a chance of 0.03 %.
 */
export const FACTOR_POLICY = {
  digits: 6,
  periodSeconds: 30,
  /** How many time steps the app's clock may differ. */
  window: 1,
  recoveryCodes: 10,
  inOneLogin: { burst: 5, intervalMs: 5 * 60_000 },
  atKnownPlace: { burst: 10, intervalMs: 5 * 60_000 },
  elsewhere: { burst: 20, intervalMs: 15 * 60_000 },
} as const

/**
 * How long an admin acts as a user. The cookie lives longer, so the browser gets an error and not the admin's data.
 */
export const ACTING_POLICY = { lifeMs: 30 * 60_000, cookieMs: DAY_MS } as const

/** Limits of requests to identity providers. */
export const OIDC_POLICY = {
  timeoutMs: 8_000,
  maxBytes: 256 * 1024,
  /** How far a provider's clock may differ from ours. */
  toleranceSeconds: 30,
  /** How long a provider's metadata is cached. */
  metadataMs: 5 * 60_000,
  retryAfterSeconds: 5,
} as const

/** The purposes of one-time tokens, with their lifetimes (docs/architecture/sign-in.md, docs/contract.md). */
export const TOKEN_POLICY = {
  /** Starts a session: a magic link, or with `appMs` the token for an app's webview. */
  sign_in: { ttlMs: 10 * 60_000, appMs: 60_000, app: { burst: 30, everyMs: 2_000 } },
  /** A login that the user confirms in the messaging platform's bot. */
  web_login: { ttlMs: 5 * 60_000 },
  /** The state of a login at an identity provider. */
  oauth_state: { ttlMs: ERROR_TIMES.oauthStateMs },
  /** Sets a new password. */
  password_reset: { ttlMs: 30 * 60_000 },
} as const

export type TokenPurpose = keyof typeof TOKEN_POLICY

/**
 * How often a password may be tried: `burst` times at once, then once per `intervalMs`. Correct
 * passwords do not count. `accountElsewhere` applies only at addresses where the account has had no
 * session, so an attacker cannot lock the owner out.
 */
export const LOGIN_POLICY = {
  accountAtAddress: { burst: 10, intervalMs: 60_000 },
  address: { burst: 30, intervalMs: 20_000 },
  accountElsewhere: { burst: 60, intervalMs: 60_000 },
} as const

/** How often a password reset link may be requested. */
export const RESET_POLICY = {
  address: { burst: 10, intervalMs: 60_000 },
  email: { burst: 3, intervalMs: 10 * 60_000 },
} as const

export const PASSWORD_POLICY = {
  minLength: 8,
  maxLength: 256,
  /** How many passwords an isolate hashes at a time, and how many wait. Further requests are rejected. */
  atOnce: 2,
  waiting: 16,
  /** The work of one hash: 32 MiB and a third of a second. */
  scrypt: { N: 2 ** 15, r: 8, p: 3 },
} as const

/** The maximum age of launch data, and how far the platform's clock may be ahead (docs/architecture/sign-in.md). */
export const LAUNCH_POLICY = {
  maxAgeMs: 5 * 60_000,
  maxAheadMs: 30_000,
} as const

export const BOT_POLICY = {
  /** The kinds of updates that a brand's bot subscribes to. */
  updates: ["callback_query", ...BOARD_UPDATES],
  /** The platform repeats an unanswered update for at most a day. */
  updateMs: 24 * 3_600_000,
} as const
