import { type Expression, sql } from "kysely"
import type { Credential } from "../actor/actor.ts"
import { readAs, spaceInScope } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { createdBetween, decodeCursor, type Page, toPage } from "../base/pagination.ts"
import { SPACE_POLICY } from "./policies.ts"
import { type SpaceRow, SUMMARY_COLUMNS, titleHolds } from "./serialize-space.ts"

export interface SpaceFilters {
  archived: "true" | "false" | "all"
  q?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/** The spaces in the key's scope, newest first. `created_after` is inclusive, `created_before` exclusive. */
export async function listSpaces(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: SpaceFilters; limit: number; cursor?: string | undefined },
): Promise<Page<SpaceRow>> {
  const after = decodeCursor(cursor, { spaces: filters })
  const { q, archived } = filters
  const { rows } = await readAs(ctx, credential, (db) => {
    const found = db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where(spaceInScope)
      .where((eb) => eb("s.user_id", "=", eb.selectFrom("caller").select("user_id")))
      .where((eb) => eb("s.test", "=", eb.selectFrom("caller").select("test")))
      .$if(after !== undefined, (query) => query.where(({ ref }) => sql`${ref("s.slug")} collate "C" < ${after}`))
      .$if(archived !== "all", (query) => query.where("s.archived_at", archived === "true" ? "is not" : "is", null))
      .$if(q !== undefined, (query) => query.where(titleHolds(q ?? "")))
      .where((eb) => eb.and(createdBetween("space", [eb.ref("s.slug"), eb.ref("s.created_at")], filters)))
      .select(SUMMARY_COLUMNS)
      .select((eb) => [
        "s.manifest",
        namesIn(eb.ref("s.tools")).as("tools"),
        namesIn(eb.ref("s.mcp_servers")).as("mcp_servers"),
      ])
      .orderBy("s.slug", (order) => order.collate("C").desc())
      .limit(limit + 1)
    const sized = db
      .selectFrom(found.as("found"))
      .selectAll("found")
      .select((eb) => {
        const bytes = sql<number>`octet_length(to_json(${eb.fn.toJson("found")}::text)::text)`
        const newestFirst = eb.fn
          .sum<number>(bytes)
          .over((over) => over.orderBy("found.slug", (order) => order.collate("C").desc()))
        return [eb.fn.countAll<number>().over().as("found_rows"), eb(newestFirst, "-", bytes).as("bytes_before")]
      })
    return db
      .selectFrom(sized.as("page"))
      .selectAll("page")
      .where("page.bytes_before", "<", SPACE_POLICY.answerBytes)
      .orderBy("page.slug", (order) => order.collate("C").desc())
  })
  const spaces = storedRows<SpaceRow>(rows.slice(0, limit))
  const more = (rows[0]?.found_rows ?? 0) > spaces.length
  return toPage(spaces, { more, filters: { spaces: filters }, idOf: (space) => space.slug })
}

/**
 * Only the names of tools and servers. A list leaves their definitions out, because they can be larger than all the
 * rest.
 */
const namesIn = (entries: Expression<unknown>) =>
  sql<
    Record<string, true>
  >`(select coalesce(jsonb_object_agg(name, true), '{}') from jsonb_object_keys(${entries}) name)`
