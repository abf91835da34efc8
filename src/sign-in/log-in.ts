import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { isKnownPlace, sessionPlaces } from "./known-places.ts"
import { takePasswordTry } from "./login-throttle.ts"
import { tellLocked } from "./notices.ts"
import { verifyPassword } from "./password.ts"
import { PASSWORD_POLICY } from "./policies.ts"

/** LoginRequest of the contract. */
export const loginRequestSchema = z
  .strictObject({
    email: z
      .string()
      .min(1)
      .max(320)
      .meta({ example: "you@example.com", description: "Upper and lower case count as the same." }),
    password: z.string().min(1).max(PASSWORD_POLICY.maxLength).meta({ example: "correct horse battery staple" }),
  })
  .meta({ id: "LoginRequest" })

/**
 * The user of an email and password, and the epoch of their sessions. A wrong password, an unknown user, a user without a password and
 * a disabled user are the same INVALID_CREDENTIALS after the same work. LOGIN_THROTTLED.
 */
export async function logIn(
  ctx: AuthContext,
  { email, password }: z.infer<typeof loginRequestSchema>,
): Promise<{ userId: number; epoch: number }> {
  const name = email.trim()
  // The database folds the letters of both, so an unknown email is one in the same spellings as a known one.
  const given = await ctx.db
    .with("given", (cte) => cte.selectNoFrom((eb) => eb.fn<string>("lower", [eb.val(name)]).as("name")))
    .selectFrom("given")
    .leftJoin("users as u", (join) =>
      join.on((eb) => eb(eb.fn<string>("lower", ["u.email"]), "=", eb.ref("given.name"))),
    )
    .select((eb) => [
      "given.name",
      "u.user_id",
      "u.password_hash",
      "u.disabled_at",
      "u.session_epoch",
      sessionPlaces(eb.ref("u.user_id")).as("sessions"),
    ])
    .executeTakeFirstOrThrow()
  const found =
    given.user_id === null || given.session_epoch === null
      ? null
      : { ...given, user_id: given.user_id, epoch: given.session_epoch }
  const attempt = { account: found?.user_id ?? given.name, known: isKnownPlace(ctx.address, found?.sessions ?? []) }
  const { giveBack } = await takePasswordTry(ctx, attempt).catch((error: unknown) => {
    if (found && error instanceof TurnpikeError && error.code === "LOGIN_THROTTLED") tellLocked(ctx, found.user_id)
    throw error
  })
  const fits = await verifyPassword(password, found?.password_hash ?? null).catch((error: unknown) => {
    giveBack()
    throw error
  })
  if (!found || !fits || found.disabled_at !== null) throw invalidCredentials()
  giveBack()
  return { userId: found.user_id, epoch: found.epoch }
}

export const invalidCredentials = () => new TurnpikeError("INVALID_CREDENTIALS", "The email or the password is wrong.")
