import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { Turnstile } from "../platform/turnstile.ts"
import type { AuthContext } from "./auth-context.ts"
import { COMMON_PASSWORDS } from "./common-passwords.ts"
import { takePasswordTry } from "./login-throttle.ts"
import { sendFactorNotice } from "./notices.ts"
import { readOwnProofs } from "./own-proofs.ts"
import { PASSWORD_POLICY } from "./policies.ts"
import { newToken } from "./session-token.ts"
import { expiryOf } from "./start-session.ts"

/** Node's default bound is less than a hash takes. */
const MAX_MEMORY = 64 * 1024 * 1024

type Cost = { N: number; r: number; p: number }

const format = ({ N, r, p }: Cost, salt: string, hash: string) => ["scrypt", N, r, p, salt, hash].join("$")

/** A hash that no password matches. Comparing with it takes the same time as with a real hash. */
const nobody = () => format(PASSWORD_POLICY.scrypt, "A".repeat(22), `${"A".repeat(43)}=`)

/** Hashes a password as `scrypt$N$r$p$salt$hash`, with salt and hash in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const cost = PASSWORD_POLICY.scrypt
  const hash = await derive(password, salt, cost)
  return format(cost, salt.toString("base64"), hash.toString("base64"))
}

/**
 * True if a password matches a hash of `hashPassword`. `stored` is null for an unknown user or one
 * without a password. The work is always the same, so its duration reveals nothing.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = (stored ?? nobody()).split("$")
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const derived = await derive(password, Buffer.from(salt, "base64"), cost)
  const expected = Buffer.from(hash, "base64")
  return expected.length === derived.length && timingSafeEqual(expected, derived) && stored !== null
}

/**
 * A derivation takes 32 MiB and a third of a second. When too many callers wait, further callers get an error at once.
 */
const turnstile = new Turnstile(PASSWORD_POLICY)

function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const work = () =>
    new Promise<Buffer>((resolve, reject) => {
      const options = { ...cost, maxmem: MAX_MEMORY }
      scrypt(password.normalize("NFKC"), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
  return turnstile.pass(work, tooMany)
}

const tooMany = () =>
  new TurnpikeError("UNAVAILABLE", "Too many passwords are being checked at this moment. Try again in a moment.", {
    retryAfter: 2,
  })

let common: Set<string> | undefined

/** True if a password is one of the most common ones, ignoring case. */
function isCommonPassword(password: string): boolean {
  common ??= readList(COMMON_PASSWORDS)
  return common.has(password.normalize("NFKC").toLowerCase())
}

/** Each line holds how many characters it shares with the word before, in base 36, and the rest of the word. */
function readList(text: string): Set<string> {
  const words = new Set<string>()
  let word = ""
  for (const line of text.split("\n")) {
    word = word.slice(0, Number.parseInt(line[0] ?? "0", 36)) + line.slice(1)
    words.add(word)
  }
  return words
}

/** A new password: long enough, and not one of the most common ones. */
export const newPassword = z
  .string()
  .min(PASSWORD_POLICY.minLength)
  .max(PASSWORD_POLICY.maxLength)
  .refine((password) => !isCommonPassword(password), "is one of the most common passwords")
  .meta({
    description: `At least ${PASSWORD_POLICY.minLength} characters, and not one of the most common passwords.`,
    example: "nine tall cranes by the river",
  })

export const changePasswordSchema = z
  .strictObject({
    current_password: z
      .string()
      .min(1)
      .max(PASSWORD_POLICY.maxLength)
      .optional()
      .meta({ description: "Required if the account has a password.", example: "correct horse battery staple" }),
    new_password: newPassword,
  })
  .meta({ id: "ChangePassword" })

export const CHANGE_PASSWORD_ERRORS = ["WRONG_PASSWORD", "LOGIN_THROTTLED", "CONFLICT"] as const

/**
 * Sets the caller's password. Ends all sessions and sign-in tokens of the caller, and returns the
 * token of a new session. Throws VALIDATION_FAILED, WRONG_PASSWORD, LOGIN_THROTTLED, CONFLICT after
 * a concurrent change, or REAUTHENTICATION_REQUIRED for a first password.
 */
export async function changePassword(
  ctx: AuthContext,
  credential: SessionCredential,
  { current_password: current, new_password: next }: z.infer<typeof changePasswordSchema>,
): Promise<string> {
  const { actor, passwordHash: former } = await readOwnProofs(ctx, credential)
  if (former !== null) {
    if (current === undefined) {
      throw new TurnpikeError("VALIDATION_FAILED", "Send the current password too.", { param: "current_password" })
    }
    const { giveBack } = await takePasswordTry(ctx, { account: actor.user_id, known: true })
    const fits = await verifyPassword(current, former).catch((error: unknown) => {
      giveBack()
      throw error
    })
    if (!fits) throw new TurnpikeError("WRONG_PASSWORD", "The current password is wrong.")
    giveBack()
  }
  const hash = await hashPassword(next)
  const now = ctx.clock.now()
  const new_token = newToken("session", now)
  const { row } = await callAs(ctx, credential, "change_password", {
    former_hash: former,
    hash,
    new_token,
    expires_at: expiryOf(now),
  })
  if (!row.changed)
    throw new TurnpikeError("CONFLICT", "Another request changed the password or ended this session at the same time.")
  sendFactorNotice(ctx, actor.user_id, { factor: "password", change: "set" })
  return new_token
}
