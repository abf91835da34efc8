import * as z from "zod"
import { proofRequired, type SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { codeField, NO_CODE, readCode, wrongCode } from "./factor-code.ts"
import { takePasswordTry } from "./login-throttle.ts"
import { readOwnProofs } from "./own-proofs.ts"
import { verifyPassword } from "./password.ts"
import { PASSWORD_POLICY } from "./policies.ts"

export const reauthenticateSchema = z
  .strictObject({
    password: z
      .string()
      .min(1)
      .max(PASSWORD_POLICY.maxLength)
      .optional()
      .meta({ description: "Required if you have a password.", example: "correct horse battery staple" }),
    code: codeField.optional().meta({ description: "Required if you have a second factor.", example: "492039" }),
  })
  .meta({ id: "Reauthenticate" })

export const PROVE_AGAIN_ERRORS = ["WRONG_PASSWORD", "WRONG_CODE", "LOGIN_THROTTLED"] as const

/**
 * Proves the caller's identity again: with the password and with a code, as far as the caller has
 * them. Throws REAUTHENTICATION_REQUIRED if the caller has neither and must sign in again,
 * VALIDATION_FAILED if one is missing, WRONG_PASSWORD, WRONG_CODE or LOGIN_THROTTLED.
 */
export async function proveAgain(
  ctx: AuthContext,
  credential: SessionCredential,
  { password, code }: z.infer<typeof reauthenticateSchema>,
): Promise<void> {
  const { actor, passwordHash: hash, factor: sealed } = await readOwnProofs(ctx, credential)
  if (hash === null && sealed === null) throw proofRequired()
  const userId = actor.user_id
  if (hash !== null) {
    if (password === undefined) throw missing("password")
    const { giveBack } = await takePasswordTry(ctx, { account: userId, known: true })
    const fits = await verifyPassword(password, hash).catch((error: unknown) => {
      giveBack()
      throw error
    })
    if (!fits) throw new TurnpikeError("WRONG_PASSWORD", "The password is wrong.")
    giveBack()
  }
  if (sealed !== null && code === undefined) throw missing("code")
  const checked =
    sealed !== null && code !== undefined
      ? await readCode(ctx, { userId, session: credential.token, known: true, sealed, code })
      : null
  const { row } = await callAs(ctx, credential, "prove_again", {
    password_hash: hash,
    ...(checked?.given ?? NO_CODE),
  })
  if (row.refused === "code") throw wrongCode()
  if (row.refused !== null) throw proofRequired()
  checked?.giveBack()
}

const missing = (param: "password" | "code") =>
  new TurnpikeError("VALIDATION_FAILED", `Send your ${param} too.`, { param })
