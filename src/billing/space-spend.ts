import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceVisible } from "../actor/shares.ts"
import { toUsd } from "../base/money.ts"
import { createdBetween } from "../base/pagination.ts"
import { DAY_MS } from "../base/time.ts"

const spentShape = {
  turns: z.int().meta({ description: "Turns that have ended.", example: 12 }),
  billed_usd: z
    .number()
    .meta({ description: "The amount that the owner of the space was billed for these turns.", example: 0.0421 }),
}

export const spaceSpendSchema = z
  .object({
    space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    days: z.int().meta({ example: 30 }),
    ...spentShape,
    series: z
      .array(z.object({ date: z.iso.date().meta({ example: "2026-01-15" }), ...spentShape }))
      .meta({ description: "By the day (UTC) on which the turns ended. Days without turns are omitted." }),
    people: z
      .array(
        z.object({
          user_id: z.int().meta({ example: 42 }),
          name: z.string().nullable().meta({ example: "Ada" }),
          ...spentShape,
        }),
      )
      .meta({ description: "Web-chat turns by sender, highest spend first." }),
    keys: z.object(spentShape).meta({ description: "Turns of the owner's API keys." }),
  })
  .meta({ id: "SpaceSpend" })

type SpaceSpend = z.infer<typeof spaceSpendSchema>

/** A turn ends at most this many days after it was accepted. */
const LONGEST_DAYS = 2

interface Spent {
  turns: number
  billed: number
}

/**
 * Returns what the turns of a space were billed on the last `days` days
 * (UTC), including today. NOT_FOUND if the caller cannot see the space.
 */
export async function getSpaceSpend(
  ctx: Context,
  credential: SessionCredential,
  { spaceId, days }: { spaceId: string; days: number },
): Promise<SpaceSpend> {
  const today = Math.floor(ctx.clock.now().getTime() / DAY_MS) * DAY_MS
  const since = new Date(today - (days - 1) * DAY_MS)
  const created_after = new Date(since.getTime() - LONGEST_DAYS * DAY_MS).toISOString()
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .select((space) => {
        // Filtering by space uses its index. Its owner may have many more turns in other spaces.
        const ended = space
          .selectFrom("turns as t")
          .whereRef("t.space_id", "=", "s.space_id")
          .where((eb) =>
            eb.and(createdBetween("turn", [eb.ref("t.turn_id"), eb.ref("t.created_at")], { created_after })),
          )
          .where("t.finished_at", ">=", since)
          .select((eb) => [
            sql<string>`to_char(${eb.ref("t.finished_at")} at time zone 'UTC', 'YYYY-MM-DD')`.as("date"),
            eb("t.key_id", "is not", null).as("of_key"),
            eb
              .case()
              .when("t.key_id", "is", null)
              .then(eb.fn.coalesce("t.member_id", "t.user_id"))
              .else(null)
              .end()
              .as("sender"),
            sql<number>`count(*)::integer`.as("turns"),
            sql<number>`sum(${eb.ref("t.billed_credit_micros")})::bigint`.as("billed"),
          ])
          .groupBy(["date", "of_key", "sender"])
        return jsonArrayFrom(
          space
            .selectFrom(ended.as("e"))
            .leftJoin("users as u", "u.user_id", "e.sender")
            .select(["e.date", "e.of_key", "e.sender", "u.name", "e.turns", "e.billed"])
            .orderBy("e.date")
            .orderBy("e.sender"),
        ).as("spent")
      }),
  )
  const spent = rows[0]?.spent
  if (!spent) throw spaceNotFound(spaceId)
  const people = new Map(spent.flatMap(({ sender, name }) => (sender === null ? [] : [[sender, name] as const])))
  return {
    space_id: spaceId,
    days,
    ...sumOf(spent),
    series: [...new Set(spent.map(({ date }) => date))].map((date) => ({
      date,
      ...sumOf(spent.filter((row) => row.date === date)),
    })),
    people: [...people]
      .map(([user_id, name]) => ({ user_id, name, ...sumOf(spent.filter(({ sender }) => sender === user_id)) }))
      .sort((one, other) => other.billed_usd - one.billed_usd || one.user_id - other.user_id),
    keys: sumOf(spent.filter(({ of_key }) => of_key)),
  }
}

const sumOf = (rows: Spent[]) => ({
  turns: rows.reduce((sum, { turns }) => sum + turns, 0),
  billed_usd: toUsd(rows.reduce((sum, { billed }) => sum + billed, 0)),
})
