import { createHash, randomBytes } from "node:crypto"
import { Secret, TOTP } from "otpauth"
import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import type { SealTarget } from "../base/key-ring.ts"
import { networkOf } from "../base/network.ts"
import type { AuthContext } from "./auth-context.ts"
import { takeTry } from "./login-throttle.ts"
import { FACTOR_POLICY } from "./policies.ts"
import { sessionIdOf } from "./session-token.ts"

export const codeField = z
  .string()
  .min(FACTOR_POLICY.digits)
  .max(64)
  .meta({ description: "The code that your authenticator app shows, or a recovery code.", example: "492039" })

/** A parsed code, in the form that the procedures take. */
export interface GivenCode {
  secret: string | null
  step: number | null
  recovery_hash: string | null
  resealed: string | null
}

export const NO_CODE: GivenCode = { secret: null, step: null, recovery_hash: null, resealed: null }

export const factorTarget = (userId: number): SealTarget => ({
  table: "second_factors",
  column: "secret",
  row: String(userId),
  owner: userId,
})

/** Makes a secret of 160 bits in base32, and the URI that an authenticator app reads from a QR code. */
export function newSecret({ brand, label }: { brand: string; label: string }): { secret: string; uri: string } {
  const secret = new Secret({ size: 20 })
  return { secret: secret.base32, uri: totpOf(secret, { issuer: brand, label }).toString() }
}

/** Makes recovery codes of 80 bits. Only their hashes are stored. */
export function newRecoveryCodes(userId: number): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: FACTOR_POLICY.recoveryCodes }, () =>
    (new Secret({ buffer: Uint8Array.from(randomBytes(10)).buffer }).base32.match(/.{4}/g) ?? []).join("-"),
  )
  return { codes, hashes: codes.map((code) => recoveryHash(userId, code)) }
}

const recoveryHash = (userId: number, code: string) =>
  createHash("sha256")
    .update(`${userId}:${code.toUpperCase().replace(/[^A-Z2-7]/g, "")}`)
    .digest("hex")

const totpOf = (secret: Secret, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...names, secret, digits: FACTOR_POLICY.digits, period: FACTOR_POLICY.periodSeconds })

interface CodeAttempt {
  userId: number
  /** The token of the session, or of the login that waits for the code. */
  session: string
  /** True if the account has signed in from this address before. */
  known: boolean
  /** The sealed secret; null if the account has none. */
  sealed: string | null
  code: string
}

/**
 * Counts an attempt, and parses the code as one of the secret at this time or as a recovery code.
 * The caller calls `giveBack` once the procedure has accepted the code. Throws WRONG_CODE,
 * LOGIN_THROTTLED, or UNAVAILABLE without Redis.
 */
export async function readCode(
  ctx: AuthContext,
  { userId, session, known, sealed, code }: CodeAttempt,
): Promise<{ given: GivenCode; giveBack(): void }> {
  const limits = [
    { key: `login:factor:session:${sessionIdOf(session)}`, ...FACTOR_POLICY.inOneLogin },
    known
      ? { key: `login:factor:${userId}:${networkOf(ctx.address)}`, ...FACTOR_POLICY.atKnownPlace }
      : { key: `login:factor:${userId}`, ...FACTOR_POLICY.elsewhere },
  ]
  const { giveBack } = await takeTry(ctx, limits, "Too many wrong codes for this login, or for this account.")
  const digits = code.replace(/\s/g, "")
  if (!/^\d+$/.test(digits)) {
    return { given: { ...NO_CODE, recovery_hash: recoveryHash(userId, code) }, giveBack }
  }
  if (sealed === null) throw wrongCode()
  const { text, stale } = await ctx.keyRing.open(sealed, factorTarget(userId))
  const timestamp = ctx.clock.now().getTime()
  const totp = totpOf(Secret.fromBase32(text))
  const delta = totp.validate({ token: digits, timestamp, window: FACTOR_POLICY.window })
  if (delta === null) throw wrongCode()
  const resealed = stale ? await ctx.keyRing.seal(text, factorTarget(userId)) : null
  return {
    given: { secret: sealed, step: totp.counter({ timestamp }) + delta, recovery_hash: null, resealed },
    giveBack,
  }
}

export const wrongCode = () => new TurnpikeError("WRONG_CODE", "The code is wrong, too old, or was used before.")
