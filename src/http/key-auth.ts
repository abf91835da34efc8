import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { type KeyCredential, REVOKED } from "../actor/actor.ts"
import { dialectOf } from "../base/dialects.ts"
import { TurnpikeError } from "../base/errors.ts"
import { parseApiKey } from "../keys/api-key.ts"
import { noteRefused } from "../keys/note-refused.ts"
import type { RateLimit } from "../platform/rate-limit.ts"
import type { AppEnv } from "./app-env.ts"
import { forgetAnswer, limitAt, remember, secondsOf } from "./doors.ts"
import { KEY_HEADER } from "./key-header.ts"
import { UNKNOWN_KEYS } from "./policies.ts"
import { shownPath } from "./shown-path.ts"

/**
 * Reads `Authorization: Bearer <API_KEY>`, and for Anthropic's API also `X-Api-Key`. A malformed key or a wrong
 * checksum is rejected without any I/O. Unknown keys are counted by address and then rejected with
 * TOO_MANY_UNKNOWN_KEYS; existing keys are never counted.
 */
export const keyAuth = createMiddleware<AppEnv>(async (c, next) => {
  const credential = credentialOf(c)
  c.set("credential", credential)
  const { keys, strangers } = c.get("ctx").doors
  const limit = limitAt(c, "keys", UNKNOWN_KEYS)
  // The key may exist, so it is looked up, but few at a time.
  if (limit && !keys.has(credential.hash) && limit.known() > 0) {
    await strangers.pass(next, () => tooManyKeys(Math.min(1_000, limit.known())))
  } else await next()
  if (c.res.ok) remember(keys, credential.hash)
  else noteRefusal(c, credential)
  // A revoked key exists, so its owner's old worker is not taken for a stranger who guesses.
  if (limit && c.error instanceof TurnpikeError && c.error.code === "INVALID_API_KEY" && c.error.cause !== REVOKED) {
    keys.delete(credential.hash)
    await countUnknown(c, limit)
  }
})

/** The owner of the key sees the refusal in the web app. An unknown key has no owner, so it costs no statement. */
function noteRefusal(c: HonoContext<AppEnv>, credential: KeyCredential): void {
  const { error } = c
  if (!(error instanceof TurnpikeError) || error.status >= 500) return
  if (error.code === "INVALID_API_KEY" && error.cause !== REVOKED) return
  noteRefused(c.get("ctx"), credential, { error, operation: `${c.req.method} ${shownPath(c.req.path)}` })
}

function credentialOf({ req }: HonoContext<AppEnv>): KeyCredential {
  const header = req.header("authorization")
  const takesBare = dialectOf(req.path) === "anthropic"
  const bare = takesBare && !header ? req.header(KEY_HEADER) : undefined
  if (!header && !bare) {
    const other = takesBare ? " or as `X-Api-Key`" : ""
    throw new TurnpikeError("INVALID_API_KEY", `Send your key as \`Authorization: Bearer <API_KEY>\`${other}.`)
  }
  const key = bare ?? /^bearer +(\S+)$/i.exec(header?.trim() ?? "")?.[1]
  const credential = key ? parseApiKey(key.trim()) : null
  if (credential) return credential
  const message = key
    ? "This is not a well-formed API key. Copy the whole key again."
    : "The Authorization header must be `Bearer <API_KEY>`, with nothing else in it."
  throw new TurnpikeError("INVALID_API_KEY", message)
}

/** Without Redis, the response remains 401. */
async function countUnknown(c: HonoContext<AppEnv>, limit: RateLimit): Promise<void> {
  const waitMs = await limit.take().catch(() => 0)
  if (waitMs <= 0) return
  forgetAnswer(c)
  throw tooManyKeys(waitMs)
}

function tooManyKeys(waitMs: number): TurnpikeError {
  const seconds = secondsOf(waitMs)
  const message = `Too many unknown API keys from this address. Try again in ${seconds} s.`
  return new TurnpikeError("TOO_MANY_UNKNOWN_KEYS", message, { retryAfter: seconds })
}
