import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import { callOne } from "../platform/db.ts"
import { serializeUser, type User, type UserRow } from "../users/user-row.ts"
import type { AuthContext } from "./auth-context.ts"
import { codeField, factorTarget, newRecoveryCodes, newSecret, readCode, wrongCode } from "./factor-code.ts"
import { isKnownPlace } from "./known-places.ts"
import { sendFactorNotice, sendSignInNotice } from "./notices.ts"
import { readOwnProofs } from "./own-proofs.ts"
import { newToken } from "./session-token.ts"
import { expiryOf } from "./start-session.ts"

export const factorStateSchema = z
  .object({
    enrolled: z.boolean().meta({ description: "True if signing in requires a code.", example: true }),
    required: z.boolean().meta({ description: "True if you need one to act as an admin.", example: false }),
    recovery_codes_left: z.int().meta({ example: 10 }),
    enrolled_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "SecondFactor" })

export const factorSecretSchema = z
  .object({
    secret: z
      .string()
      .meta({ description: "The secret in base32, for typing.", example: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" }),
    uri: z.string().meta({
      description: "The URI to show as a QR code.",
      example: "otpauth://totp/turnpike:you%40example.com?issuer=turnpike&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
    }),
  })
  .meta({ id: "SecondFactorSecret" })

export const factorCodeSchema = z.strictObject({ code: codeField }).meta({ id: "SecondFactorCode" })

export const recoveryCodesSchema = z
  .object({
    recovery_codes: z.array(z.string()).meta({
      description: "Each replaces a code of the authenticator app once.",
      example: ["QW3R-7TYU-LKJH-2ZXC"],
    }),
  })
  .meta({ id: "RecoveryCodes" })

/** The caller's second factor, and whether one is required. */
export async function readFactor(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.infer<typeof factorStateSchema>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("users as u")
      .innerJoin("caller", "caller.user_id", "u.user_id")
      .leftJoin("second_factors as f", "f.user_id", "u.user_id")
      .leftJoin("settings as s", (join) => join.on("s.key", "=", "admin_second_factor"))
      .select(["u.role", "f.confirmed_at", "f.recovery_codes_left", "s.value"]),
  )
  const [row] = rows
  return {
    enrolled: row?.confirmed_at != null,
    required: row?.role === "admin" && row.value === "required",
    recovery_codes_left: row?.recovery_codes_left ?? 0,
    enrolled_at: row?.confirmed_at == null ? null : toInstant(row.confirmed_at),
  }
}

const ENROLLED = () => new TurnpikeError("CONFLICT", "You have a second factor. Remove it first.", { retryable: false })

/**
 * Starts the setup of a second factor, which `confirmFactor` completes. Throws
 * REAUTHENTICATION_REQUIRED or CONFLICT.
 */
export async function beginFactor(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.infer<typeof factorSecretSchema>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("users as u")
      .innerJoin("caller", "caller.user_id", "u.user_id")
      .select(["u.user_id", "u.email", "u.brand"]),
  )
  const [user] = rows
  if (!user) throw new Error("a session without its user")
  const made = newSecret({ brand: user.brand, label: user.email ?? `user ${user.user_id}` })
  const sealed = await ctx.keyRing.seal(made.secret, factorTarget(user.user_id))
  const { row } = await callAs(ctx, credential, "begin_second_factor", { secret: sealed })
  if (row.refused) throw ENROLLED()
  return made
}

export const CONFIRM_FACTOR_ERRORS = ["WRONG_CODE", "LOGIN_THROTTLED", "CONFLICT"] as const

/**
 * Confirms the second factor and ends all sessions of the caller. Returns the token of a new session
 * and the recovery codes. Throws REAUTHENTICATION_REQUIRED, WRONG_CODE, LOGIN_THROTTLED or CONFLICT.
 */
export async function confirmFactor(
  ctx: AuthContext,
  credential: SessionCredential,
  code: string,
): Promise<{ token: string; codes: string[] }> {
  const { actor, unconfirmed: sealed } = await readOwnProofs(ctx, credential)
  const { user_id: userId } = actor
  if (sealed === null) {
    throw new TurnpikeError("CONFLICT", "There is no second factor to confirm. Start the setup again.", {
      retryable: false,
    })
  }
  const { given, giveBack } = await readCode(ctx, {
    userId,
    session: credential.token,
    known: true,
    sealed,
    code,
  })
  if (given.step === null) throw wrongCode()
  const recovery = newRecoveryCodes(userId)
  const now = ctx.clock.now()
  const token = newToken("session", now)
  const { row } = await callAs(ctx, credential, "confirm_second_factor", {
    secret: sealed,
    step: given.step,
    recovery_hashes: recovery.hashes,
    new_token: token,
    expires_at: expiryOf(now),
  })
  if (row.refused)
    throw new TurnpikeError(
      "CONFLICT",
      "Another request replaced the second factor or ended this session. Start the setup again.",
    )
  giveBack()
  sendFactorNotice(ctx, userId, { factor: "second_factor", change: "set" })
  return { token, codes: recovery.codes }
}

/** Removes the caller's second factor. Throws REAUTHENTICATION_REQUIRED or NOT_FOUND. */
export async function removeFactor(ctx: Context, credential: SessionCredential): Promise<void> {
  const audit = {}
  const { actor, row } = await callAs(ctx, credential, "remove_second_factor", audit)
  if (row.refused) throw new TurnpikeError("NOT_FOUND", "You have no second factor.")
  sendFactorNotice(ctx, actor.user_id, { factor: "second_factor", change: "removed" })
}

/** Removes another user's second factor, for an admin. Throws REAUTHENTICATION_REQUIRED or NOT_FOUND. */
export async function resetFactor(ctx: Context, credential: SessionCredential, userId: number): Promise<{ ok: true }> {
  const { row } = await callAs(ctx, credential, "reset_second_factor", { user_id: userId })
  if (row.refused) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId} with a second factor.`)
  sendFactorNotice(ctx, userId, { factor: "second_factor", change: "removed" })
  return { ok: true }
}

export const COMPLETE_SESSION_ERRORS = ["WRONG_CODE", "LOGIN_THROTTLED"] as const

/**
 * Opens a session that waits for a code, and returns its user. Throws SESSION_REQUIRED if no
 * session waits, WRONG_CODE or LOGIN_THROTTLED.
 */
export async function completeSession(
  ctx: AuthContext,
  { token }: SessionCredential,
  { code, userAgent }: { code: string; userAgent: string | null },
): Promise<User> {
  const waiting = await callOne(ctx.db, "waiting_session", { token, moment: ctx.clock.now() })
  const { user_id: userId, secret: sealed, addresses } = waiting
  if (userId === null) throw notWaiting()
  const known = isKnownPlace(ctx.address, addresses ?? [])
  const { given, giveBack } = await readCode(ctx, { userId, session: token, known, sealed, code })
  const now = ctx.clock.now()
  const row = await callOne(ctx.db, "complete_session", {
    token,
    user_id: userId,
    ...given,
    expires_at: expiryOf(now),
    request_id: ctx.requestId,
    moment: now,
  })
  if (row.refused === "code") throw wrongCode()
  if (row.refused !== null || !row.account) throw notWaiting()
  giveBack()
  const user = serializeUser(row.account as UserRow)
  if (row.news) sendSignInNotice(ctx, user, userAgent)
  return user
}

const notWaiting = () =>
  new TurnpikeError("SESSION_REQUIRED", "No sign-in waits for a code in this session. Sign in again.")
