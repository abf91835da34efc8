import { sql } from "kysely"
import type { AuthContext } from "../identity/auth-context.ts"
import { denyWebLogin } from "./web-login.ts"

/**
 * Takes a login back that was not the person's own: ends every session of their account, since who had one of them may have
 * made others, and denies the login to a browser that has not asked yet.
 */
export async function undoLogin(ctx: AuthContext, brand: string, subject: string, token: string): Promise<void> {
  const { rows } = await sql<{ user_id: number }>`
    update users u set session_epoch = u.session_epoch + 1 from identities i
    where i.issuer = ${`messenger:${brand}`} and i.subject = ${subject} and u.user_id = i.user_id
    returning u.user_id`.execute(ctx.db)
  if (rows[0]) await denyWebLogin(ctx, token, rows[0].user_id)
}
