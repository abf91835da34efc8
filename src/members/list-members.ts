import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toInstant } from "../base/time.ts"
import { knownKeySchema, serializeKnownKey } from "../keys/known-key.ts"
import { released } from "../platform/db.ts"
import type { DB } from "../platform/db-types.ts"
import type { Answers } from "../platform/procedures.ts"
import { invitationSchema, roleField, serializeInvitation } from "./schemas.ts"

const memberSchema = z
  .object({
    user_id: z.int().meta({ example: 43 }),
    name: z.string().nullable().meta({ example: "Ben" }),
    email: z.string().nullable().meta({ example: "ben@example.com" }),
    role: roleField,
    is_self: z.boolean().meta({ description: "True for the signed-in user." }),
    second_factor: z.boolean().meta({ description: "True if the person has a second factor." }),
    joined_at: z.iso.datetime(),
  })
  .meta({ id: "Member" })

export const peopleSchema = z
  .object({
    members: z.array(memberSchema).meta({ description: "The people of the account, the first one first." }),
    second_factor_required: z.boolean(),
    invitations: z
      .array(invitationSchema)
      .meta({ description: "Open invitations, newest first. Only owners see them." }),
    keys_to_decide: z
      .array(
        knownKeySchema.extend({
          made_by: z
            .string()
            .nullable()
            .meta({ description: "The names of the people who know the value.", example: "Ben" }),
        }),
      )
      .meta({
        description:
          "Working keys whose values a person knows who has left, or has fewer rights than the key. Rotate without an overlap, revoke or " +
          "keep each. Only owners see them.",
      }),
  })
  .meta({ id: "Members" })

type UndecidedKey = Answers["undecided_key"]

interface MemberRow extends Pick<DB["users"], "name" | "email"> {
  user_id: number
  role: string
  second_factor: boolean
  created_at: string
}

const serializeMember = (row: MemberRow, self: number): z.infer<typeof memberSchema> => ({
  user_id: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role as z.infer<typeof roleField>,
  is_self: row.user_id === self,
  second_factor: row.second_factor,
  joined_at: toInstant(row.created_at),
})

/** The people of the caller's account. */
export async function listMembers(ctx: Context, credential: SessionCredential): Promise<z.infer<typeof peopleSchema>> {
  const now = ctx.clock.now()
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("caller")
      .innerJoin("users as a", "a.user_id", "caller.user_id")
      .select((eb) => {
        const isOwner = eb("caller.account_role", "=", "owner")
        return [
          "a.user_id",
          "a.name",
          "a.email",
          "a.own_role",
          "a.created_at",
          "a.members_need_factor",
          "caller.person_id",
          eb.fn<boolean>(released("has_factor"), ["a.user_id"]).as("own_factor"),
          jsonArrayFrom(
            eb
              .selectFrom("account_members as m")
              .innerJoin("users as u", "u.user_id", "m.member_id")
              .whereRef("m.account_id", "=", "a.user_id")
              .select(["u.user_id", "u.name", "u.email", "m.role", "m.created_at"])
              .select((m) => m.fn<boolean>(released("has_factor"), ["u.user_id"]).as("second_factor"))
              .orderBy("m.created_at")
              .orderBy("u.user_id"),
          ).as("members"),
          jsonArrayFrom(
            eb
              .selectFrom("account_invitations as i")
              .leftJoin("users as b", "b.user_id", "i.invited_by")
              .whereRef("i.account_id", "=", "a.user_id")
              .where("i.ended_at", "is", null)
              .where("i.expires_at", ">", now)
              .where(isOwner)
              .select(["i.invitation_id", "i.email", "i.role", "b.name as invited_by", "i.created_at", "i.expires_at"])
              .orderBy("i.created_at", "desc")
              .orderBy("i.invitation_id", "desc"),
          ).as("invitations"),
          eb
            .case()
            .when(isOwner)
            .then(eb.fn<UndecidedKey[]>("to_jsonb", [eb.fn(released("keys_to_decide"), ["a.user_id", eb.val(now)])]))
            .end()
            .as("keys"),
        ]
      }),
  )
  const [row] = rows
  if (!row) throw new Error("a caller has no account")
  const self = row.person_id ?? row.user_id
  const own = row.own_role === "none" ? [] : [{ ...row, role: row.own_role, second_factor: row.own_factor }]
  return {
    members: [...own, ...row.members].map((person) => serializeMember(person, self)),
    second_factor_required: row.members_need_factor,
    invitations: row.invitations.map((one) => serializeInvitation(one as Parameters<typeof serializeInvitation>[0])),
    keys_to_decide: (row.keys ?? []).map(({ made_by, ...known }) => ({ ...serializeKnownKey(known), made_by })),
  }
}
