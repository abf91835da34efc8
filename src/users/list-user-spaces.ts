import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { MEMBER_VIAS, type MemberVia, SPACE_ROLES, type SpaceRole, VIA_DESCRIPTION } from "../actor/shares.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"

export const userSpaceSchema = z
  .object({
    space_id: z.int().meta({ example: 17 }),
    slug: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    title: z.string(),
    role: z.enum(SPACE_ROLES).meta({ description: "The role of the user in the space." }),
    via: z.enum(MEMBER_VIAS).meta({ description: VIA_DESCRIPTION, example: "registered" }),
    origin: z.string().meta({ description: "Where the space was created.", example: "api" }),
    brand: z.string().meta({ example: "turnpike" }),
    test: z.boolean().meta({ description: "Whether the space is test data.", example: false }),
    archived: z.boolean().meta({ example: false }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "UserSpace" })

type UserSpace = z.infer<typeof userSpaceSchema>

/**
 * Spaces that a user owns, is a member of, or whose chat they are in. Spaces with the role owner come first, then
 * newest first.
 * NOT_FOUND for an unknown user.
 */
export async function listUserSpaces(
  ctx: Context,
  credential: SessionCredential,
  { userId, limit, offset }: { userId: number; limit: number; offset: number },
): Promise<{ spaces: UserSpace[]; total: number }> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("caller")
        .innerJoin("users as u", (join) => join.on("u.user_id", "=", userId))
        .select((user) => {
          const columns = [
            ...(["s.space_id", "s.slug", "s.title", "s.origin", "s.brand", "s.test"] as const),
            ...(["s.archived_at", "s.created_at"] as const),
          ] as const
          const theirs = user
            .selectFrom("spaces as s")
            .where("s.user_id", "=", userId)
            .select([...columns, sql<SpaceRole>`'owner'`.as("role"), sql<MemberVia>`'registered'`.as("via")])
            .unionAll(
              user
                .selectFrom(
                  user
                    .selectFrom("registered_members as r")
                    .where("r.user_id", "=", userId)
                    .select(["r.space_id", "r.role", sql<MemberVia>`'registered'`.as("via")])
                    .unionAll(
                      user
                        .selectFrom("board_people as b")
                        .where("b.user_id", "=", userId)
                        .select(["b.space_id", sql<string>`'member'`.as("role"), sql<MemberVia>`'board'`.as("via")]),
                    )
                    .as("h"),
                )
                .innerJoin("spaces as s", "s.space_id", "h.space_id")
                .groupBy("s.space_id")
                // The strongest role is the first in the alphabet. "registered" follows "board", and wins for a user who is both.
                .select((eb) => [
                  ...columns,
                  eb.fn.min<SpaceRole>("h.role").as("role"),
                  eb.fn.max<MemberVia>("h.via").as("via"),
                ]),
            )
          const page = user
            .selectFrom(theirs.as("t"))
            .selectAll("t")
            .orderBy(sql`t.role <> 'owner'`)
            .orderBy("t.space_id", "desc")
            .limit(limit)
            .offset(offset)
          return [
            user
              .selectFrom(theirs.as("t"))
              .select((eb) => eb.fn.countAll<number>().as("total"))
              .as("total"),
            jsonArrayFrom(page).as("spaces"),
          ]
        }),
    { role: "admin" },
  )
  const [row] = rows
  if (!row) throw new TurnpikeError("NOT_FOUND", `There is no user ${userId}.`)
  return {
    total: row.total ?? 0,
    spaces: row.spaces.map(({ archived_at, created_at, ...space }) => ({
      ...space,
      archived: archived_at !== null,
      created_at: toInstant(created_at),
    })),
  }
}
