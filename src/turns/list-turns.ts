import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type QueryCreator,
  type SqlBool,
  sql,
} from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { Credential, SessionCredential } from "../actor/actor.ts"
import { type CallerDB, isOfScope, readAs, spaceInScope } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { sameQuery, storedRows } from "../base/casts.ts"
import { createdBetween, decodeCursor, type Page, toPage } from "../base/pagination.ts"
import type { DB } from "../platform/db-types.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { readTurnEvents } from "./get-turn.ts"
import { TURN_POLICY } from "./policies.ts"
import type { TurnState } from "./schemas.ts"
import type { TurnEventRow } from "./turn-event.ts"
import type { TurnRow } from "./turn-row.ts"
import type { Waiting } from "./waiting-schema.ts"
import { waitsBehind, waitsBehindUntil } from "./waits-behind.ts"

export interface TurnFilters {
  space?: string | undefined
  end_user_ref?: string | undefined
  conversation?: string | undefined
  state?: TurnState | undefined
  waiting?: Waiting["for"] | undefined
  key?: string | undefined
  /** Only web-chat turns that the caller has sent, in their own spaces and in spaces that are shared with them. */
  chat?: true
  created_after?: string | undefined
  created_before?: string | undefined
}

/** The turns in the caller's scope, newest first. `created_after` is inclusive, `created_before` exclusive. */
export async function listTurns(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: TurnFilters; limit: number; cursor?: string | undefined },
): Promise<Page<TurnRow>> {
  const after = decodeCursor(cursor, filters)
  const { rows } = await readAs(ctx, credential, (db) =>
    turnPage(db, { filters, after, inScope: true, limit: limit + 1, offset: 0 }),
  )
  const turns = asTurns(rows.slice(0, limit))
  return toPage(turns, { more: (rows[0]?.found ?? 0) > turns.length, filters, idOf: (turn) => turn.turn_id })
}

/**
 * All turns of a signed-in owner with their total, by offset instead of by cursor. A page with long texts may be
 * shorter than its limit. The owner sees all spaces, so counting reads only one index.
 */
export async function findTurns(
  ctx: Context,
  credential: SessionCredential,
  { filters, limit, offset }: { filters: TurnFilters; limit: number; offset: number },
): Promise<{ turns: TurnRow[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectNoFrom([
      sourceOf(db, filters)
        .select((eb) => eb.cast<number>(eb.fn.countAll(), "integer").as("count"))
        .as("total"),
      jsonArrayFrom(turnPage(db, { filters, inScope: false, limit, offset })).as("turns"),
    ]),
  )
  return { turns: asTurns(rows[0]?.turns ?? []), total: rows[0]?.total ?? 0 }
}

/** The caller's turns that match the filters. */
function matching(db: QueryCreator<CallerDB>, filters: TurnFilters) {
  const { state } = filters
  return (
    db
      .selectFrom("turns as t")
      .where(hasAll(filters))
      // Every rare state has a small index: open_turns, or the index of turns without a result.
      .$if(state === "queued" || state === "running", (query) =>
        query
          .innerJoin("open_turns as o", "o.turn_id", "t.turn_id")
          .where((eb) => eb("o.user_id", "=", owner("user_id")))
          .where((eb) => eb("o.test", "=", owner("test")))
          // Turns that wait are running. Turns that continue after a wait are, too, and they are in the queue.
          .where("o.state", "in", state === "queued" ? ["queued", "blocked"] : ["running", "waiting", "queued"]),
      )
      .$if(filters.waiting !== undefined, (query) =>
        query
          .innerJoin("waiting_turns as w", "w.turn_id", "t.turn_id")
          .where((eb) => eb("w.user_id", "=", owner("user_id")))
          .where((eb) => eb("w.test", "=", owner("test")))
          .where("w.reason", "=", filters.waiting ?? ""),
      )
      .$if(state === "failed" || state === "cancelled", (query) => query.where("t.status_reason", "is not", null))
  )
}

/** The matching turns. With `chat`, the turns that the caller has sent: own and shared spaces each have an index. */
function sourceOf(db: QueryCreator<CallerDB>, filters: TurnFilters): ReturnType<typeof matching> {
  if (!filters.chat) return matching(db, filters)
  const own = matching(db, filters).where("t.key_id", "is", null).where("t.member_id", "is", null)
  const shared = eb.selectFrom("space_shares as h").where("h.user_id", "=", owner("user_id")).select("h.space_id")
  const named = eb
    .selectFrom("spaces as s")
    .where("s.slug", "=", filters.space ?? "")
    .select("s.space_id")
  const elsewhere = db
    .selectFrom("turns as t")
    .where("t.member_id", "=", owner("user_id"))
    .where(owner("person_id"), "is", null)
    .where("t.test", "=", owner("test"))
    .where("t.space_id", "in", shared)
    .$if(filters.space !== undefined, (query) => query.where("t.space_id", "=", named))
    .where(eb.and(restOf(filters)))
  const sent = db.selectFrom(own.selectAll("t").unionAll(elsewhere.selectAll("t")).as("t"))
  return sameQuery<ReturnType<typeof matching>>(sent)
}

type OfTurns = CallerDB & { t: DB["turns"] }
const eb: ExpressionBuilder<OfTurns, "t"> = expressionBuilder()

/** Scalar subqueries: the planner treats them as constants and starts from the owner's index. */
const owner = <Column extends "user_id" | "test" | "person_id">(column: Column) =>
  eb.selectFrom("caller").select(column)

function hasAll(filters: TurnFilters): Expression<SqlBool> {
  const { space } = filters
  const all: Expression<SqlBool>[] = [eb("t.user_id", "=", owner("user_id")), eb("t.test", "=", owner("test"))]
  if (space) {
    const named = eb.selectFrom(["spaces as s", "caller"]).where("s.slug", "=", space).where(spaceInScope)
    all.push(eb("t.space_id", "=", named.select("s.space_id")))
  }
  return eb.and([...all, ...restOf(filters)])
}

/** The conditions of all filters except the owner and the space. */
function restOf(filters: TurnFilters): Expression<SqlBool>[] {
  const { end_user_ref, conversation, state, key } = filters
  const all: Expression<SqlBool>[] = []
  if (end_user_ref) all.push(eb("t.end_user_ref", "=", end_user_ref))
  if (conversation) all.push(eb("t.conversation_id", "=", conversation))
  if (state) all.push(eb("t.state", "=", state))
  if (key) all.push(eb("t.key_id", "=", key))
  all.push(...createdBetween("turn", [eb.ref("t.turn_id"), eb.ref("t.created_at")], filters))
  return all
}

interface TurnPage {
  filters: TurnFilters
  /** The id after which the page begins. */
  after?: string | undefined
  /** True if the caller may see only some of the owner's turns. */
  inScope: boolean
  limit: number
  offset: number
}

/** A page of matching turns, newest first, cut at `answerBytes`. `found` is their number before that cut. */
function turnPage(db: QueryCreator<CallerDB>, { filters, after, inScope, limit, offset }: TurnPage) {
  const newest = sourceOf(db, filters)
    .$if(inScope, (query) => query.where(isOfScope(eb.ref("t.space_id"))))
    .$if(after !== undefined, (query) => query.where(({ ref }) => sql`${ref("t.turn_id")} collate "C" < ${after}`))
    .selectAll("t")
    .orderBy("t.turn_id", (order) => order.collate("C").desc())
    .limit(limit)
    .offset(offset)
  const sized = db
    .selectFrom(newest.as("t"))
    .innerJoin("spaces as s", "s.space_id", "t.space_id")
    .selectAll("t")
    .select([waitsBehind.as("waits_behind"), waitsBehindUntil.as("waits_behind_until")])
    .select(({ fn, ref }) => [
      "s.slug as space",
      fn.countAll<number>().over().as("found"),
      sql<number>`coalesce(sum(octet_length(to_json(${ref("t.text")})::text)
        + coalesce(octet_length(to_json(${ref("t.result")})::text), 0)) over (order by ${ref("t.turn_id")} collate "C" desc
        rows between unbounded preceding and 1 preceding), 0)`.as("bytes_before"),
    ])
  return db
    .selectFrom(sized.as("page"))
    .selectAll("page")
    .where("page.bytes_before", "<", TURN_POLICY.answerBytes)
    .orderBy("page.turn_id", (order) => order.collate("C").desc())
}

/** The generated types do not cover the content of jsonb columns, nor the states. */
const asTurns = (rows: (JsonRow<"turns"> & { space: string })[]) => storedRows<TurnRow>(rows)

/** A turn's events after `afterSeq`, oldest first, at most `limit`; NOT_FOUND for a turn out of scope. */
export async function listTurnEvents(
  ctx: Context,
  credential: Credential,
  { turnId, afterSeq, limit }: { turnId: string; afterSeq: number; limit: number },
): Promise<{ events: TurnEventRow[]; hasMore: boolean; total: number }> {
  const { last_seq, events } = await readTurnEvents(ctx, credential, {
    turn_id: turnId,
    after_seq: afterSeq,
    limit: limit + 1,
    reader_until: null,
    reader_soon: null,
  })
  return { events: events.slice(0, limit), hasMore: events.length > limit, total: last_seq }
}
