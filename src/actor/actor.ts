import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import { type MemberRole, type OWN_ROLES, type Right, rolesWith } from "../base/member-roles.ts"

/** A well-formed API key before its lookup: a claim, not an identity. */
export interface KeyCredential {
  kind: "key"
  /** As in SessionCredential. */
  needs?: Right | undefined
  /** SHA-256 of the whole value, lower-case hex. */
  hash: string
  test: boolean
}

/** The user for whom a page of the web app was made. */
export interface PageUser {
  /** The user who was signed in. */
  user: number
  /** The account that the page shows: the same user, or the user as whom an admin acts. Null: not known yet. */
  account: number | null
}

/** A session from a signed cookie. Its row decides whether it is still valid. */
export interface SessionCredential {
  kind: "session"
  /**
   * `<id>.<secret>`. The id may be shown. The whole token appears only in the cookie and as an argument of procedures.
   */
  token: string
  /** True for an admin who acts as a user. Such a session is read-only. */
  acting?: true
  /**
   * True if the operation needs a fresh proof of identity (src/base/operation-powers.ts). Without one the session is
   * not usable.
   */
  proved?: true
  /**
   * The right in the account that the operation needs (src/base/operation-rights.ts). Without it, the page of another
   * account is refused.
   */
  needs?: Right | undefined
  /** The session is not usable if it belongs to another user. */
  page?: PageUser | undefined
  /** True if the request is for test data, as with a test key; otherwise for live data. */
  test: boolean
}

/** The claim of a request about its caller. Every verb takes one, and `find_caller` looks it up. */
export type Credential = KeyCredential | SessionCredential

/** The text by which the caller is looked up: the hash of a key, or the token of a session. */
export const tokenOf = (credential: Credential): string =>
  credential.kind === "key" ? credential.hash : credential.token

export const KEY_SCOPES = ["created", "space", "all"] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** The fields that every kind of caller has after the lookup. */
interface CommonActor {
  user_id: number
  scope: KeyScope
  space_id: number | null
  /** True if the request is for test data. Then it sees no live data. */
  test: boolean
  expires_at: string | null
  created_at: string
}

/** A caller of /v1: an API key that acts for its owner. */
export interface KeyActor extends CommonActor {
  kind: "key"
  key_id: string
  name: string
  account_role: MemberRole
  missing: "right" | null
}

/** A signed-in user of the dashboard. It acts on all of the user's data, in the mode (live or test) of the request. */
export interface SessionActor extends CommonActor {
  kind: "session"
  key_id: null
  name: string | null
  scope: "all"
  session_id: string
  role: "user" | "admin"
  /** The user who sends a turn into a shared space; `user_id` is the space's owner then. Null otherwise. */
  member_id: number | null
  /** The admin who acts as this user; null for the user's own session. */
  acting_user_id: number | null
  /** When the user last proved their identity in this session. */
  proved_at: string | null
  missing: Missing
  /** The role whose rights the caller has in the account. */
  account_role: (typeof OWN_ROLES)[number]
  /** The member who acts for the account, while `user_id` is the account; null for its own user. */
  person_id: number | null
}

/**
 * `factor`: a code is due. `enrolment`: an admin has no second factor but must have one. `other_user`: the page was
 * made for another user. `membership`, `member_factor`, `right`: the user is no member of the account that the page
 * shows, or lacks a factor or a right there.
 */
type Missing = "factor" | "enrolment" | "other_user" | "membership" | "member_factor" | "right" | null

export type Actor = KeyActor | SessionActor

/**
 * A caller's row, usable or not. `unproved`: only a fresh proof is missing. `used_at`: when a use was last recorded.
 */
export type ActorRow = Actor & { usable: boolean; expired: boolean; unproved?: boolean; used_at?: string | null }

/** Returns the actor, or throws the 401 of its credential. `forAdmins`: the role is checked before the proof. */
export function requireActor(
  row: ActorRow | null | undefined,
  credential: Credential,
  { forAdmins = false } = {},
): Actor {
  if (row?.kind === "session" && row.missing === "other_user") throw signedInAsOther(row)
  if (row?.kind === "session" && row.missing === "factor") throw factorRequired()
  if (row && Object.hasOwn(MEMBERS, row.missing ?? ""))
    throw MEMBERS[row.missing as keyof typeof MEMBERS](row, credential)
  if (row?.kind === "session" && row.unproved) {
    throw forAdmins && row.role !== "admin" ? adminRequired(row) : proofRequired()
  }
  if (!row?.usable) throw refusal(credential, row)
  const { usable: _usable, expired: _expired, unproved: _unproved, used_at: _usedAt, ...actor } = row
  return actor
}

/** The codes of a caller who does not act for an account, or not in this way. */
export const MEMBER_CODES = ["NOT_A_MEMBER", "MEMBER_FACTOR_REQUIRED", "ROLE_REQUIRED"] as const satisfies ErrorCode[]

/** The errors of a caller who does not act for an account, or not in this way. */
const MEMBERS = {
  membership: () =>
    new TurnpikeError("NOT_A_MEMBER", "You are not a member of this account, or no longer. Nothing was done."),
  member_factor: () =>
    new TurnpikeError(
      "MEMBER_FACTOR_REQUIRED",
      "This account requires a second factor of its members. Set up yours under Account, then try again.",
    ),
  right: ({ account_role: role }: ActorRow, { needs }: Credential) => roleRequired(role, needs ?? "own"),
}

/** The error of a caller whose role in the account lacks a right. */
export function roleRequired(role: string, needs: Right): TurnpikeError {
  const roles = rolesWith(needs)
  const message = `Your role in this account does not allow this. It needs the role ${roles.join(" or ")}.`
  return new TurnpikeError("ROLE_REQUIRED", message, { details: { role, roles } })
}

/** The `cause` of INVALID_API_KEY for a key that exists, but was revoked or belongs to a disabled account. */
export const REVOKED = "revoked"

function refusal({ kind }: Credential, row: ActorRow | null | undefined): TurnpikeError {
  const expired = row?.expired ?? false
  if (kind === "session") {
    const message = expired ? "The session has expired. Sign in again." : "The session has ended. Sign in again."
    return new TurnpikeError("SESSION_REQUIRED", message)
  }
  if (expired) return new TurnpikeError("API_KEY_EXPIRED", "This API key has expired.")
  const cause = row ? REVOKED : undefined
  return new TurnpikeError("INVALID_API_KEY", "This API key is unknown or was revoked.", { cause })
}

/**
 * The error of an admin operation for a user without the role, or for an admin who must set up a second factor first.
 */
export function adminRequired(actor?: Actor): TurnpikeError {
  if (actor?.kind === "session" && actor.missing === "enrolment") {
    return new TurnpikeError("SECOND_FACTOR_NOT_SET_UP", "Admins need a second factor. Set up yours first.")
  }
  return new TurnpikeError("ADMIN_REQUIRED", "Only an admin can do this.")
}

export const factorRequired = () =>
  new TurnpikeError(
    "SECOND_FACTOR_REQUIRED",
    "Send the code of your authenticator app to POST /api/auth/second-factor.",
  )

export const proofRequired = () =>
  new TurnpikeError(
    "REAUTHENTICATION_REQUIRED",
    "Confirm your identity: send your password or a code to POST /api/auth/reauthenticate. With neither, sign in again " +
      "through your identity provider or the messaging platform.",
  )

/**
 * True if a caller may see the account's balance. A test key, a key of one space, and a member who
 * acts for a space's owner may not: other people than the owner often hold such a key.
 */
export const seesBalance = (actor: Actor) =>
  actor.kind === "session" ? actor.member_id === null : !actor.test && actor.scope !== "space"

/** True if a caller may see the wallets of end users, which belong to the whole account. */
export const seesWallets = (actor: Actor) =>
  actor.kind === "session" ? actor.member_id === null : actor.scope === "all"

/** The key of a caller. Throws for a session, since only keys can call these operations. */
export function keyOf(actor: Actor): KeyActor {
  if (actor.kind !== "key") throw new Error("a session has called an operation that only keys can call")
  return actor
}

/** The page was made for another user. The text is for the person at the page. */
function signedInAsOther({ user_id, name, acting_user_id }: SessionActor): TurnpikeError {
  const who = name ?? `user ${user_id}`
  const now = acting_user_id === null ? `You are signed in as ${who}` : `You are viewing the account of ${who}`
  const message = `${now} in another tab. Nothing was done. Reload.`
  const details = { user: { user_id, name }, acting: acting_user_id !== null }
  return new TurnpikeError("SIGNED_IN_AS_OTHER", message, { details })
}
