import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { createdBetween } from "../created-between.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { decodeCursor, type Page, toPage } from "../pagination.ts"
import { type EventRow, eventBytes, eventInScope, eventJson } from "./event-payload.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { Event } from "./schemas.ts"

export interface EventFilters {
  order: "asc" | "desc"
  type?: Event["type"] | undefined
  turn?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

interface Found {
  events: (EventRow & { place: string })[]
  found: number
}

/**
 * The events in the key's scope. `desc`: newest first. `asc`: in the order of their commits, and only what is older than every
 * open transaction, so that nothing ever appears before a cursor; such a page always has a cursor, to come back with.
 */
export async function listEvents(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: EventFilters; limit: number; cursor?: string | undefined },
): Promise<Page<EventRow>> {
  const forward = filters.order === "asc"
  const after = decodeCursor(cursor, filters)
  const where = [eventInScope, ...filterConditions(filters)]
  if (forward) {
    where.push(sql`e.xact < pg_snapshot_xmin(pg_current_snapshot())`)
    if (after) where.push(sql`(e.xact, e.event_id collate "C") > ${placeOf(after)}`)
  } else if (after) {
    where.push(sql`e.event_id collate "C" < ${after}`)
  }
  const order = forward ? sql`e.xact, e.event_id collate "C"` : sql`e.event_id collate "C" desc`
  const { row } = await queryAs<Found>(ctx, credential, {
    select: sql`select count(*)::integer as found, coalesce(jsonb_agg(
        page.event || jsonb_build_object('place', page.xact::text || '_' || page.event_id) order by page.place)
        filter (where page.place <= ${limit}::integer and (page.place = 1 or page.bytes_so_far <= ${WEBHOOK_POLICY.batchBytes}::integer)), '[]') as events
      from (
        select found.*, sum(bytes) over (order by place rows unbounded preceding) as bytes_so_far
        from (
          select ${eventJson} as event, e.event_id, e.xact, ${eventBytes} as bytes, row_number() over (order by ${order}) as place
          from events e left join turns t on t.turn_id = e.turn_id left join spaces s on s.space_id = t.space_id, caller
          where ${sql.join(where, sql` and `)}
          order by ${order} limit ${limit + 1}
        ) found
      ) page`,
  })
  const { events, found } = row
  const more = found > events.length
  const page = toPage(events, { more, filters, idOf: (event) => (forward ? event.place : event.event_id) })
  if (!forward) return page
  // To come back with: behind the last event seen, or where this page began.
  return {
    ...page,
    next_cursor: toPage(events, { more: true, filters, idOf: ({ place }) => place }).next_cursor ?? cursor ?? null,
  }
}

function filterConditions(filters: EventFilters): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = []
  if (filters.type) where.push(sql`e.type = ${filters.type}`)
  // By its log: the feed has no index of turns.
  if (filters.turn) where.push(sql`e.event_id in (select event_id from turn_events where turn_id = ${filters.turn})`)
  where.push(...createdBetween("event", [sql.ref("e.event_id"), sql.ref("e.created_at")], filters))
  return where
}

/** `<transaction>_<event id>`, as a row to compare with. */
function placeOf(place: string): RawBuilder<unknown> {
  const [, xact, eventId] = /^(\d{1,19})_(evt_\w+)$/.exec(place) ?? []
  if (!xact || !eventId) {
    throw new TurnpikeError("VALIDATION_FAILED", "This cursor does not belong to this list.", { param: "cursor" })
  }
  return sql`(${xact}::xid8, ${eventId}::text)`
}

/** One event, or NOT_FOUND. */
export async function getEvent(ctx: Context, credential: Credential, eventId: string): Promise<EventRow> {
  const { row } = await queryAs<{ event: EventRow | null }>(ctx, credential, {
    select: sql`select ${eventJson} as event
      from events e left join turns t on t.turn_id = e.turn_id left join spaces s on s.space_id = t.space_id, caller
      where e.event_id = ${eventId} and ${eventInScope}`,
  })
  if (!row.event) {
    throw new TurnpikeError("NOT_FOUND", `There is no event "${eventId}" that you can see.`)
  }
  return row.event
}
