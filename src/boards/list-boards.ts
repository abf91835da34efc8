import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toInstant } from "../base/time.ts"

export const boardSchema = z
  .object({
    chat_key: z.string().meta({
      description: "The key of the group. A space with the same `chat_key` has this group as its chat.",
      example: "messenger:-1001234567890",
    }),
    title: z
      .string()
      .nullable()
      .meta({ description: "The last title that the platform reported; null if unknown.", example: "Acme support" }),
    bot_username: z.string().nullable().meta({
      description: "The username of the bot without the @; null if the bot was removed.",
      example: "acme_support_bot",
    }),
    bot_in: z.boolean().meta({ description: "Whether the bot is in the group. If not, its members are not counted." }),
    members: z.int().meta({ description: "The number of people in the group that the bot knows of.", example: 12 }),
    space_id: z
      .int()
      .nullable()
      .meta({ description: "The space that has this group as its chat; null if none.", example: 318 }),
    updated_at: z.iso.datetime().meta({ description: "The last time at which the title or `bot_in` changed." }),
  })
  .meta({ id: "Board" })

/** A page of the groups that the bots of brands and workspaces are or were in, last changed first, and their number. */
export async function listBoards(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: z.infer<typeof boardSchema>[]; total: number }> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db.selectFrom("caller").select((caller) => [
        caller
          .selectFrom("boards")
          .select((eb) => eb.fn.countAll<number>().as("total"))
          .as("total"),
        jsonArrayFrom(
          caller
            .selectFrom("boards as b")
            .select(["b.chat_key", "b.title", "b.bot_in", "b.updated_at"])
            .select((eb) => [
              eb.fn
                .coalesce(
                  eb
                    .selectFrom("workspaces as w")
                    .whereRef("w.bot_id", "=", "b.bot_id")
                    .select("w.bot_username")
                    .limit(1),
                  eb.selectFrom("brands as r").whereRef("r.bot_id", "=", "b.bot_id").select("r.bot_username").limit(1),
                )
                .as("bot_username"),
              eb
                .selectFrom("board_members as m")
                .whereRef("m.board_id", "=", "b.board_id")
                .where("m.present", "=", true)
                .select((members) => members.fn.countAll<number>().as("members"))
                .as("members"),
              eb
                .selectFrom("spaces as s")
                .whereRef("s.chat_key", "=", "b.chat_key")
                .select("s.space_id")
                .as("space_id"),
            ])
            .orderBy("b.updated_at", "desc")
            .orderBy("b.board_id", "desc")
            .limit(limit)
            .offset(offset),
        ).as("boards"),
      ]),
    { role: "admin" },
  )
  const { total, boards = [] } = rows[0] ?? {}
  const items = boards.map(({ updated_at, members, ...board }) => ({
    ...board,
    members: members ?? 0,
    updated_at: toInstant(updated_at),
  }))
  return { total: total ?? 0, items }
}
