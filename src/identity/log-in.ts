import { type RawBuilder, sql } from "kysely"
import * as z from "zod"
import { TurnpikeError } from "../errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { networkOf, takePasswordTry } from "./login-throttle.ts"
import { verifyPassword } from "./password.ts"
import { PASSWORD_POLICY } from "./policies.ts"

/** LoginRequest of the contract. */
export const loginRequestSchema = z
  .strictObject({
    email: z.string().min(1).max(320).meta({ example: "you@example.com", description: "In any case of its letters." }),
    password: z.string().min(1).max(PASSWORD_POLICY.maxLength).meta({ example: "correct horse battery staple" }),
  })
  .meta({ id: "LoginRequest" })

interface Found {
  user_id: number
  password_hash: string | null
  disabled: boolean
  epoch: number
  known: boolean
}

/**
 * Whose email and password these are, and the epoch of their sessions. A wrong password, an unknown user, one without a password
 * and a disabled one are the same INVALID_CREDENTIALS after the same work. LOGIN_THROTTLED.
 */
export async function logIn(
  ctx: AuthContext,
  { email, password }: z.infer<typeof loginRequestSchema>,
): Promise<{ userId: number; epoch: number }> {
  const name = email.trim()
  const { rows } = await sql<Found>`
    select u.user_id, u.password_hash, u.disabled_at is not null as disabled, u.session_epoch as epoch,
      exists (select 1 from sessions n where n.user_id = u.user_id and ${isHere(ctx.address)}) as known
    from users u where lower(u.email) = lower(${name})`.execute(ctx.db)
  const found = rows[0]
  const attempt = { account: found?.user_id ?? name.toLowerCase(), known: found?.known ?? false }
  const { succeeded } = await takePasswordTry(ctx, attempt)
  const fits = await verifyPassword(password, found?.password_hash ?? null)
  if (!found || !fits || found.disabled) throw invalidCredentials()
  succeeded()
  return { userId: found.user_id, epoch: found.epoch }
}

/** Whether a session `n` was started at this address; of IPv6 in its network, since a browser takes another address every day. */
function isHere(address: string | null): RawBuilder<unknown> {
  const network = networkOf(address)
  if (!network.endsWith("/64")) return sql`n.address = ${address}`
  return sql`case when pg_input_is_valid(n.address, 'inet') then n.address::inet <<= ${network}::inet else false end`
}

export const invalidCredentials = () =>
  new TurnpikeError("INVALID_CREDENTIALS", "The email and the password do not belong together.")
