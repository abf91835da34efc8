import { TurnpikeError } from "../base/errors.ts"

/** A well-formed API key that nobody has looked up yet: a claim, not an identity. */
export interface KeyCredential {
  kind: "key"
  /** SHA-256 of the whole value, lower-case hex. */
  hash: string
  test: boolean
}

/** A session, as a signed cookie has it. Its row decides whether it is still valid. */
export interface SessionCredential {
  kind: "session"
  /** `<id>.<secret>`. The id may be shown; the token goes into the cookie, and into the database as an argument only. */
  token: string
  /** It is an admin's who looks at the account, and changes nothing. */
  acting?: true
  /** The operation asks for a fresh proof of who they are (src/base/powers.ts): without one the session is not usable. */
  proved?: true
  /** Whether its owner asks for test data, as a test key would, or for live data. */
  test: boolean
}

/** What a request claims about its caller. Every verb takes one; `find_caller` looks it up. */
export type Credential = KeyCredential | SessionCredential

export const KEY_SCOPES = ["created", "space", "all"] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** What every kind of actor has: the caller after it was looked up. */
interface CommonActor {
  user_id: number
  scope: KeyScope
  space_id: number | null
  /** The request is for test data, and sees nothing else. */
  test: boolean
  expires_at: string | null
  created_at: string
}

/** A caller of /v1: a key of its owner. */
export interface KeyActor extends CommonActor {
  kind: "key"
  key_id: string
  name: string
}

/** A signed-in user of the dashboard. They act on everything they own, in the mode (live or test) that the request names. */
export interface SessionActor extends CommonActor {
  kind: "session"
  key_id: null
  name: string | null
  scope: "all"
  session_id: string
  role: "user" | "admin"
  /** Who acts in a space that is shared with them, while `user_id` is its owner; only of a turn that they send. */
  member_id: number | null
  /** The admin who acts as this user; null: nobody does. */
  acting_user_id: number | null
  /** When they have last proved in this session who they are. */
  proved_at: string | null
  missing: Missing
}

/** `factor`: the code of their second factor is due. `enrolment`: they are an admin without one, who must have one. */
type Missing = "factor" | "enrolment" | null

export type Actor = KeyActor | SessionActor

/** A caller's row, usable or not. `unproved`: only a fresh proof is missing. `used_at`: when its use was last noted. */
export type ActorRow = Actor & { usable: boolean; expired: boolean; unproved?: boolean; used_at?: string | null }

/** The actor of an answer, or the 401 of its kind. `forAdmins`: the role is asked for before a proof is. */
export function requireActor(
  row: ActorRow | null | undefined,
  credential: Credential,
  { forAdmins = false } = {},
): Actor {
  if (row?.kind === "session" && row.missing === "factor") throw factorRequired()
  if (row?.kind === "session" && row.unproved) {
    throw forAdmins && row.role !== "admin" ? adminRequired(row) : proofRequired()
  }
  if (!row?.usable) throw refusal(credential, row?.expired ?? false)
  const { usable: _usable, expired: _expired, unproved: _unproved, used_at: _usedAt, ...actor } = row
  return actor
}

function refusal({ kind }: Credential, expired: boolean): TurnpikeError {
  if (kind === "session") {
    const message = expired ? "The session has expired. Sign in again." : "The session has ended. Sign in again."
    return new TurnpikeError("SESSION_REQUIRED", message)
  }
  if (expired) return new TurnpikeError("API_KEY_EXPIRED", "This API key has expired.")
  return new TurnpikeError("INVALID_API_KEY", "This API key is unknown or was revoked.")
}

/** What an admin's operation answers to somebody who is none now, or who must first set up a second factor. */
export function adminRequired(actor?: Actor): TurnpikeError {
  if (actor?.kind === "session" && actor.missing === "enrolment") {
    return new TurnpikeError("SECOND_FACTOR_NOT_SET_UP", "Admins need a second factor here. Set yours up first.")
  }
  return new TurnpikeError("ADMIN_REQUIRED", "This is for admins only.")
}

export const factorRequired = () =>
  new TurnpikeError(
    "SECOND_FACTOR_REQUIRED",
    "Send the code of your authenticator app to POST /api/auth/second-factor.",
  )

export const proofRequired = () =>
  new TurnpikeError(
    "REAUTHENTICATION_REQUIRED",
    "Prove again who you are: send your password or a code to POST /api/auth/reauthenticate. With neither, sign in again " +
      "through your identity provider or the messaging platform.",
  )

/**
 * Whether a caller may know what their account has: not a key of test data or of one space, which is often in the hands of others, nor a
 * member who acts for the owner of a space.
 */
export const seesBalance = (actor: Actor) =>
  actor.kind === "session" ? actor.member_id === null : !actor.test && actor.scope !== "space"

/** The key that acts. Throws for a session: only keys reach the operations that call this. */
export function keyOf(actor: Actor): KeyActor {
  if (actor.kind !== "key") throw new Error("a session has come to an operation of keys")
  return actor
}
