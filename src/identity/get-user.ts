import type { Context } from "../context.ts"
import { readAs } from "./call-as.ts"
import type { SessionCredential } from "./credential.ts"
import { serializeUser, type User, type UserRow } from "./user-row.ts"

/** The signed-in user. */
export async function getUser(ctx: Context, credential: SessionCredential): Promise<User> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("users as u")
      .innerJoin("caller", "caller.user_id", "u.user_id")
      .select(["u.user_id", "u.name", "u.email", "u.email_verified", "u.role", "u.brand", "u.created_at"]),
  )
  return serializeUser(rows[0] as UserRow)
}
