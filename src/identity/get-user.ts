import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"
import { serializeUser, type User, type UserRow, userJson } from "./user-row.ts"

/** The signed-in user. */
export async function getUser(ctx: Context, credential: SessionCredential): Promise<User> {
  const { row } = await queryAs<{ user: UserRow }>(ctx, credential, {
    select: sql`select ${userJson} as user from caller join users u on u.user_id = caller.user_id`,
  })
  return serializeUser(row.user)
}
