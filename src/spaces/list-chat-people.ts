import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { MEMBER_VIAS, type MemberVia, SPACE_ROLES, type SpaceRole, VIA_DESCRIPTION } from "../actor/shares.ts"
import { TurnpikeError } from "../base/errors.ts"
import { type InParts, type ListHead, type ListPage, readInParts } from "../base/in-parts.ts"
import { toUsd } from "../base/money.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { toInstant } from "../base/time.ts"
import { type AdminSpace, serializeAdminSpace, shownSpaces } from "./admin-space.ts"
import { recentTurns } from "./recent-turns.ts"

export const chatPersonSchema = z
  .object({
    user_id: z
      .int()
      .nullable()
      .meta({ description: "A user: a member, or a sender in the web chat. Null for an end user.", example: 42 }),
    name: z.string().nullable().meta({ example: "Ada" }),
    end_user_ref: z
      .string()
      .nullable()
      .meta({ description: "An end user of the API. Null for a user.", example: "customer-1" }),
    role: z
      .enum(SPACE_ROLES)
      .nullable()
      .meta({ description: "The role of a member; null for a person who is not a member.", example: "owner" }),
    via: z
      .enum(MEMBER_VIAS)
      .nullable()
      .meta({ description: `${VIA_DESCRIPTION} Null for a person who is not a member.`, example: "registered" }),
    turns: z.int().meta({ description: "The number of turns, including open turns.", example: 12 }),
    tokens_input: z.int().meta({ example: 48_000 }),
    tokens_cached: z.int().meta({ description: "The cached part of `tokens_input`.", example: 31_000 }),
    tokens_output: z.int().meta({ example: 5_200 }),
    cost_credit_micros: z
      .int()
      .meta({ description: "The billed amount of these turns, in credit micros.", example: 1_300_000 }),
    cost_usd: z.number().meta({ example: 0.13 }),
    last_activity: z.iso.datetime().nullable(),
  })
  .meta({ id: "ChatPerson" })

export type ChatPerson = z.infer<typeof chatPersonSchema>

interface PersonRow {
  user_id: number
  name: string | null
  end_user_ref: string
  role: SpaceRole | null
  via: MemberVia | null
  turns: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  billed_credit_micros: number
  last_activity: string | null
}

function serializePerson(row: PersonRow): ChatPerson {
  const { turns, tokens_input, tokens_cached, tokens_output, billed_credit_micros } = row
  const who =
    row.end_user_ref === ""
      ? { user_id: row.user_id, name: row.name, end_user_ref: null }
      : { user_id: null, name: null, end_user_ref: row.end_user_ref }
  return {
    ...who,
    role: row.role,
    via: row.via,
    turns,
    tokens_input,
    tokens_cached,
    tokens_output,
    cost_credit_micros: billed_credit_micros,
    cost_usd: toUsd(billed_credit_micros),
    last_activity: toInstant(row.last_activity),
  }
}

/**
 * The members and senders of a chat with their totals, for admins (docs/contract.md): members first, then by cost.
 * `chatKey` is the chat's key or the slug of its space. Throws NOT_FOUND.
 */
export async function listChatPeople(
  ctx: Context,
  credential: SessionCredential,
  { chatKey, limit, offset }: { chatKey: string } & ListPage,
): Promise<InParts<ListHead & { space: AdminSpace }, ChatPerson>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => {
      const id = chatOf(db, chatKey)
      const all = people(db, id)
      const page = db
        .selectFrom(all.as("p"))
        .select(["p.user_id", "p.end_user_ref"])
        // The order is: owner, admins, members, and then people who are not members.
        .orderBy(sql`p.role = 'owner'`, (order) => order.desc().nullsLast())
        .orderBy("p.role", (order) => order.asc().nullsLast())
        .orderBy("p.billed_credit_micros", "desc")
        .orderBy("p.turns", "desc")
        .orderBy("p.end_user_ref", (order) => order.collate("C"))
        .orderBy("p.user_id")
      return db.selectFrom("caller").select([
        jsonArrayFrom(shownSpaces(db).where("s.space_id", "=", id)).as("spaces"),
        db
          .selectFrom(all.as("p"))
          .select((eb) => eb.fn.countAll<number>().as("total"))
          .as("total"),
        jsonArrayFrom(page.limit(limit).offset(offset)).as("people"),
      ])
    },
    { role: "admin" },
  )
  const { total, spaces: [space] = [], people: keys = [] } = rows[0] ?? {}
  if (!space) throw new TurnpikeError("NOT_FOUND", `There is no chat "${chatKey}".`)
  return {
    head: { space: serializeAdminSpace(space), total: total ?? 0, limit, offset },
    parts: readInParts(keys, LIST_POLICY.part, (part) => readPeople(ctx, credential, space.space_id, part)),
  }
}

type PersonKey = Pick<PersonRow, "user_id" | "end_user_ref">

const textOf = ({ user_id, end_user_ref }: PersonKey) => `${user_id} ${end_user_ref}`

async function readPeople(ctx: Context, credential: SessionCredential, spaceId: number, keys: PersonKey[]) {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) => {
      const id = db.selectFrom("spaces as s").select("s.space_id").where("s.space_id", "=", spaceId)
      const asked = sql<PersonKey>`jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)`
      const shown = db
        .selectFrom(people(db, id).as("p"))
        .innerJoin(asked.as<"k">(sql`k(user_id bigint, end_user_ref text)`), (join) =>
          join.onRef("k.user_id", "=", "p.user_id").onRef("k.end_user_ref", "=", "p.end_user_ref"),
        )
        .leftJoin("users as u", "u.user_id", "p.user_id")
        .selectAll("p")
        .select("u.name")
      return db.selectFrom("caller").select(jsonArrayFrom(shown).as("people"))
    },
    { role: "admin" },
  )
  const byKey = new Map((rows[0]?.people ?? []).map((row) => [textOf(row), row]))
  return keys.flatMap((key) => byKey.get(textOf(key)) ?? []).map((row) => serializePerson(row))
}

/** The space of a chat key. If no space has that chat, the space with that slug. */
const chatOf = (db: QueryCreator<CallerDB>, chatKey: string) =>
  db
    .selectFrom("spaces as s")
    .select("s.space_id")
    .where((eb) => eb.or([eb("s.chat_key", "=", chatKey), eb("s.slug", "=", chatKey)]))
    .orderBy(sql`s.chat_key is not distinct from ${chatKey}`, "desc")
    .limit(1)

/** Each person of a chat once, from the totals, from turns that are not yet in them, and from the owner and members. */
function people(db: QueryCreator<CallerDB>, id: ReturnType<typeof chatOf>) {
  const none = sql<number>`0`
  const nobody = sql<SpaceRole | null>`null::text`
  const noWay = sql<MemberVia | null>`null::text`
  const space = db.selectFrom("spaces as s").where("s.space_id", "=", id)
  const written = db
    .selectFrom("space_people as w")
    .where("w.space_id", "=", id)
    .select([
      ...(["w.user_id", "w.end_user_ref", "w.turns", "w.tokens_input", "w.tokens_cached", "w.tokens_output"] as const),
      ...(["w.billed_credit_micros", "w.last_ended_at as changed_at"] as const),
      ...([nobody.as("role"), noWay.as("via")] as const),
    ])
    .unionAll(
      db
        .selectFrom(recentTurns(db).as("n"))
        .where("n.space_id", "=", id)
        .select([
          ...(["n.user_id", "n.end_user_ref"] as const),
          "n.turns",
          ...(["n.tokens_input", "n.tokens_cached", "n.tokens_output", "n.billed_credit_micros"] as const),
          ...(["n.changed_at", nobody.as("role"), noWay.as("via")] as const),
        ]),
    )
    .unionAll(
      space.select([
        ...(["s.user_id", sql<string>`''`.as("end_user_ref"), none.as("turns")] as const),
        ...([none.as("tokens_input"), none.as("tokens_cached"), none.as("tokens_output")] as const),
        ...([none.as("billed_credit_micros"), sql<Date>`null::timestamptz`.as("changed_at")] as const),
        sql<SpaceRole | null>`'owner'`.as("role"),
        sql<MemberVia | null>`'registered'`.as("via"),
      ]),
    )
    .unionAll(
      db
        .selectFrom(
          db
            .selectFrom("registered_members as m")
            .select(["m.space_id", "m.user_id", "m.role", sql<MemberVia | null>`'registered'`.as("via")])
            .unionAll(
              db
                .selectFrom("board_people as b")
                .select([
                  ...(["b.space_id", "b.user_id", sql<string>`'member'`.as("role")] as const),
                  sql<MemberVia | null>`'board'`.as("via"),
                ]),
            )
            .as("h"),
        )
        .where("h.space_id", "=", id)
        .select([
          ...([sql<number>`h.user_id`.as("user_id"), sql<string>`''`.as("end_user_ref"), none.as("turns")] as const),
          ...([none.as("tokens_input"), none.as("tokens_cached"), none.as("tokens_output")] as const),
          ...([none.as("billed_credit_micros"), sql<Date>`null::timestamptz`.as("changed_at")] as const),
          sql<SpaceRole | null>`h.role`.as("role"),
          "h.via",
        ]),
    )
  return db
    .selectFrom(written.as("a"))
    .groupBy(["a.user_id", "a.end_user_ref"])
    .select((eb) => [
      "a.user_id",
      "a.end_user_ref",
      eb.fn.sum<number>("a.turns").as("turns"),
      eb.fn.sum<number>("a.tokens_input").as("tokens_input"),
      eb.fn.sum<number>("a.tokens_cached").as("tokens_cached"),
      eb.fn.sum<number>("a.tokens_output").as("tokens_output"),
      eb.fn.sum<number>("a.billed_credit_micros").as("billed_credit_micros"),
      eb.fn.max("a.changed_at").as("last_activity"),
      // The minimum works because "admin" sorts before "member". The owner never has a share of their own space.
      eb.fn.min<SpaceRole | null>("a.role").as("role"),
      // The maximum works because "board" sorts before "registered", which takes precedence.
      eb.fn.max<MemberVia | null>("a.via").as("via"),
    ])
}
