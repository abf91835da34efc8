import { type QueryCreator, sql } from "kysely"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { recentBySpace } from "./recent-turns.ts"
import { spaceSchema } from "./schemas.ts"
import { type SpaceRow, SUMMARY_COLUMNS, serializeSpace } from "./serialize-space.ts"

export const adminSpaceSchema = z
  .object({
    space_id: z.int().meta({ description: "The space's number. Owners see only the slug.", example: 318 }),
    slug: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    chat_key: z.string().meta({
      description: "The chat of the space: the key of a messaging chat, or `space:` and the slug.",
      example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
    }),
    title: z.string().meta({ example: "Support desk" }),
    origin: z.string().meta({
      description:
        "`api`: created with a key. `dashboard`: created by a user. `messenger`: linked to a messaging chat.",
      example: "api",
    }),
    brand: z.string().meta({ description: "The brand of the account that created the space.", example: "turnpike" }),
    archived: z.boolean(),
    test: z
      .boolean()
      .meta({ description: "True for test data. Turns of test spaces use the rehearsal model and cost nothing." }),
    owner: z.object({
      user_id: z.int(),
      name: z.string().nullable().meta({ example: "Ada" }),
      email: z.string().nullable().meta({ example: "ada@example.com" }),
    }),
    workspace_id: z.string().nullable().meta({ example: "support-team" }),
    model: z.string().nullable().meta({
      description: "The pin of the space's model; null: the catalog's default.",
      example: "openai/gpt-5-mini",
    }),
    created_at: z.iso.datetime(),
    last_activity: z.iso
      .datetime()
      .nullable()
      .meta({ description: "The last time at which one of its turns changed its state; null if it has no turns." }),
    messages: z.int().meta({ description: "The number of turns, including open turns.", example: 1240 }),
    cost_credit_micros: z
      .int()
      .meta({ description: "The billed amount of its turns, in credit micros.", example: 41_000_000 }),
    cost_usd: z.number().meta({ example: 4.1 }),
  })
  .meta({ id: "AdminSpace" })

export type AdminSpace = z.infer<typeof adminSpaceSchema>

/** A row of `shownSpaces`, as JSON. */
interface AdminSpaceRow {
  space_id: number
  slug: string
  chat_key: string | null
  title: string
  origin: string
  brand: string
  archived_at: string | null
  test: boolean
  user_id: number
  owner_name: string | null
  owner_email: string | null
  workspace_id: string | null
  pin: string | null
  created_at: string
  last_activity: string | null
  messages: number
  cost_credit_micros: number
}

export function serializeAdminSpace(row: object): AdminSpace {
  const { space_id, slug, title, origin, brand, test, workspace_id, messages, cost_credit_micros, ...rest } =
    row as AdminSpaceRow
  return {
    space_id,
    slug,
    chat_key: rest.chat_key ?? `space:${slug}`,
    title,
    origin,
    brand,
    archived: rest.archived_at !== null,
    test,
    owner: { user_id: rest.user_id, name: rest.owner_name, email: rest.owner_email },
    workspace_id,
    model: rest.pin,
    created_at: toInstant(rest.created_at),
    last_activity: toInstant(rest.last_activity),
    messages,
    cost_credit_micros,
    cost_usd: toUsd(cost_credit_micros),
  }
}

/** Spaces `s` with their owners and totals, for admins. */
export function shownSpaces(db: QueryCreator<CallerDB>) {
  return db
    .selectFrom("spaces as s")
    .innerJoin("users as u", "u.user_id", "s.user_id")
    .leftJoin("space_totals as r", "r.space_id", "s.space_id")
    .leftJoin(recentBySpace(db).as("n"), "n.space_id", "s.space_id")
    .select(SUMMARY_COLUMNS)
    .select((eb) => [
      ...(["s.chat_key", "s.workspace_id", "s.pin", "u.name as owner_name", "u.email as owner_email"] as const),
      eb(eb.fn.coalesce("r.turns", eb.lit(0)), "+", eb.fn.coalesce("n.turns", eb.lit(0))).as("messages"),
      eb(
        eb.fn.coalesce("r.billed_credit_micros", eb.lit(0)),
        "+",
        eb.fn.coalesce("n.billed_credit_micros", eb.lit(0)),
      ).as("cost_credit_micros"),
      sql<Date | null>`greatest(${eb.ref("r.last_ended_at")}, ${eb.ref("n.changed_at")})`.as("last_activity"),
    ])
}

/** A space with its configuration, for admins. */
export const adminSpaceDetailSchema = adminSpaceSchema
  .extend({
    ...spaceSchema.pick({ manifest: true, tools: true, mcp_servers: true, metadata: true, config_version: true }).shape,
    created_by_key_id: z.string().nullable().meta({
      description: "The API key that created the space; null if a user created it.",
      example: "key_01jd3k9m2x4t8r5w6y7z0a1b2c",
    }),
    archived_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "AdminSpaceDetail" })

/** Reads a registered space by its number, for admins. Throws NOT_FOUND. */
export async function getAdminSpace(
  ctx: Context,
  credential: SessionCredential,
  spaceId: number,
): Promise<z.infer<typeof adminSpaceDetailSchema>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      shownSpaces(db)
        .innerJoin("caller", (join) => join.onTrue())
        .where("s.space_id", "=", spaceId)
        .select(["s.manifest", "s.tools", "s.mcp_servers"]),
    { role: "admin" },
  )
  if (!rows[0]) throw new TurnpikeError("NOT_FOUND", `There is no space ${spaceId}.`)
  const row = storedRow<SpaceRow>(rows[0])
  const { manifest, tools, mcp_servers, metadata, config_version, updated_at } = serializeSpace(row)
  return {
    ...serializeAdminSpace(row),
    manifest,
    tools,
    mcp_servers,
    metadata,
    config_version,
    created_by_key_id: row.created_by_key_id,
    archived_at: toInstant(row.archived_at),
    updated_at,
  }
}
