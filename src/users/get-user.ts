import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { SessionCredential } from "../actor/credential.ts"
import { serializeUser, type User, type UserRow, userColumns } from "./user-row.ts"

/** The signed-in user. */
export async function getUser(ctx: Context, credential: SessionCredential): Promise<User> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("users as u", "u.user_id", "caller.user_id")
      .select(userColumns)
      .$narrowType<{ role: UserRow["role"] }>(),
  )
  return serializeUser(rows[0] as UserRow)
}
