import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { MEMBER_ROLES, type MemberRole, RIGHTS, type Right, ROLE_RIGHTS } from "../base/member-roles.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { type BalanceRow, balanceSchema, serializeBalance } from "../wallets/get-balance.ts"
import { serializeUser, type User, type UserRow, userColumns, userSchema } from "./user-row.ts"

export const meSchema = z
  .object({
    user: userSchema.meta({ description: "The account: your own user, or the account for which you act as a member." }),
    person: userSchema.nullable().meta({ description: "You, while you act as a member; null for your own account." }),
    account_role: z.enum(MEMBER_ROLES).meta({ description: "Your role in the account.", example: "owner" }),
    rights: z.array(z.enum(Object.keys(RIGHTS) as [Right, ...Right[]])).meta({
      description: Object.entries(RIGHTS)
        .map(([right, words]) => `\`${right}\`: ${words}.`)
        .join(" "),
      example: [...ROLE_RIGHTS.owner],
    }),
    session: z.object({ created_at: z.iso.datetime(), expires_at: z.iso.datetime() }),
    balance: balanceSchema,
    acting_admin: z
      .object({ user_id: z.int(), name: z.string().nullable().meta({ example: "Ada" }) })
      .nullable()
      .meta({
        description: "The admin who acts as this user; null if the user signed in themselves.",
        example: null,
      }),
  })
  .meta({ id: "AccountMe" })

interface MeRow extends BalanceRow {
  account: UserRow
  acting_admin: Answers["acting_admin"] | null
  person: UserRow | null
}

/** The signed-in user, their session and their balance. */
export async function getMe(ctx: Context, credential: SessionCredential): Promise<z.infer<typeof meSchema>> {
  const { actor, row } = await callAs<"get_me", MeRow>(ctx, credential, "get_me", {})
  const role = actor.account_role as MemberRole
  return {
    user: serializeUser(row.account),
    person: row.person?.user_id ? serializeUser(row.person) : null,
    account_role: role,
    rights: [...ROLE_RIGHTS[role]],
    session: { created_at: toInstant(actor.created_at), expires_at: toInstant(actor.expires_at ?? actor.created_at) },
    balance: serializeBalance(row),
    acting_admin: row.acting_admin,
  }
}

/** The signed-in user. */
export async function getCurrentUser(ctx: Context, credential: SessionCredential): Promise<User> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("users as u", "u.user_id", "caller.user_id")
      .select(userColumns)
      .$narrowType<{ role: UserRow["role"] }>(),
  )
  return serializeUser(rows[0] as UserRow)
}

/** The user of the session if they have this identity; null if they do not, or if the session is not valid. */
export async function getUserOfIdentity(
  ctx: Context,
  credential: SessionCredential,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<User | null> {
  const read = readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("users as u", "u.user_id", "caller.user_id")
      .innerJoin("identities as i", "i.user_id", "u.user_id")
      .where("i.issuer", "=", issuer)
      .where("i.subject", "=", subject)
      .select(userColumns)
      .$narrowType<{ role: UserRow["role"] }>(),
  )
  const { rows } = await read.catch((error: unknown) => {
    if (error instanceof TurnpikeError && error.code === "SESSION_REQUIRED") return { rows: [] }
    throw error
  })
  const [row] = rows
  return row ? serializeUser(row as UserRow) : null
}
