import { TurnpikeError } from "../base/errors.ts"

/** A well-formed API key that nobody has looked up yet: a claim, not an identity. */
export interface KeyCredential {
  kind: "key"
  /** SHA-256 of the whole value, lower-case hex. */
  hash: string
  test: boolean
}

/** A session that a signed cookie names: whether it goes on is for its row to say. */
export interface SessionCredential {
  kind: "session"
  sessionId: string
  /** Whether its owner asks for test data, as a test key would, or for live data. */
  test: boolean
}

/** Who asks, as far as a request can say it: what every verb takes, and `find_caller` looks up. */
export type Credential = KeyCredential | SessionCredential

export type KeyScope = "created" | "space" | "all"

/** Who asks, once looked up: what is the same for every kind of actor. */
interface CommonActor {
  user_id: number
  scope: KeyScope
  space_id: number | null
  /** Test data is asked for, and only test data is seen. */
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

/** A signed-in user of the dashboard: acts on all that they own, of the kind (live or test) that they ask for. */
export interface SessionActor extends CommonActor {
  kind: "session"
  key_id: null
  name: string | null
  scope: "all"
  session_id: string
  role: "user" | "admin"
}

export type Actor = KeyActor | SessionActor

/** What is known of a caller in whatever state; `used_at`: when a use was noted last, as procedures have it. */
export type ActorRow = Actor & { usable: boolean; expired: boolean; used_at?: string | null }

/** The actor of an answer, or the 401 of its kind. */
export function requireActor(row: ActorRow | null | undefined, credential: Credential): Actor {
  if (!row?.usable) throw refusal(credential, row?.expired ?? false)
  const { usable: _usable, expired: _expired, used_at: _usedAt, ...actor } = row
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

export const adminRequired = () => new TurnpikeError("ADMIN_REQUIRED", "This is for admins only.")

/** The key that acts; only a key comes to the operations that ask for it. */
export function keyOf(actor: Actor): KeyActor {
  if (actor.kind !== "key") throw new Error("a session has come to an operation of keys")
  return actor
}
