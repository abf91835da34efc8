import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"
import type { Procedures } from "../platform/procedures.ts"
import type { AuthContext } from "./auth-context.ts"
import { isKnownPlace } from "./known-places.ts"
import { takePasswordTry } from "./login-throttle.ts"
import { tellLocked } from "./notices.ts"
import { verifyPassword } from "./password.ts"
import { PASSWORD_POLICY } from "./policies.ts"

/** LoginRequest in docs/contract.md. */
export const loginRequestSchema = z
  .strictObject({
    email: z.string().min(1).max(320).meta({ example: "you@example.com", description: "Case is ignored." }),
    password: z.string().min(1).max(PASSWORD_POLICY.maxLength).meta({ example: "correct horse battery staple" }),
  })
  .meta({ id: "LoginRequest" })

export const LOG_IN_ERRORS = ["INVALID_CREDENTIALS", "LOGIN_THROTTLED"] as const

/**
 * Checks an email and a password; returns the user and its session epoch. An unknown user, a disabled user,
 * a missing and a wrong password all throw INVALID_CREDENTIALS after the same work. Throws LOGIN_THROTTLED.
 */
export async function logIn(
  ctx: AuthContext,
  { email, password }: z.infer<typeof loginRequestSchema>,
): Promise<{ userId: number; epoch: number }> {
  const given = await callOne<"find_login", LoginRow>(ctx.db, "find_login", { email: email.trim() })
  const user = given.user_id === null ? null : { ...given, user_id: given.user_id }
  const known = user !== null && isKnownPlace(ctx.address, given.addresses)
  const attempt = { account: user?.user_id ?? given.name, known }
  const { giveBack } = await takePasswordTry(ctx, attempt).catch((error: unknown) => {
    if (user && error instanceof TurnpikeError && error.code === "LOGIN_THROTTLED") tellLocked(ctx, user.user_id)
    throw error
  })
  const fits = await verifyPassword(password, user?.password_hash ?? null).catch((error: unknown) => {
    giveBack()
    throw error
  })
  if (!user || !fits || user.disabled) throw invalidCredentials()
  giveBack()
  return { userId: user.user_id, epoch: user.epoch }
}

/** `disabled` and `epoch` are null if no user was found. */
type LoginRow = Procedures["find_login"]["row"] & {
  name: string
  disabled: boolean
  epoch: number
  addresses: (string | null)[]
}

export const invalidCredentials = () => new TurnpikeError("INVALID_CREDENTIALS", "The email or the password is wrong.")
