import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { decodeCursor, type Page, toPage } from "../base/pagination.ts"
import { type EventRow, eventRowOf } from "./event-payload.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { Event } from "./schemas.ts"

export interface EventFilters {
  order: "asc" | "desc"
  type?: Event["type"] | undefined
  turn?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/**
 * Lists the events in the caller's scope. `desc`: newest first. `asc`: in the order of commits, and only events
 * older than every open transaction. So no event appears before a cursor, and each such page has a next cursor.
 */
export async function listEvents(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: EventFilters; limit: number; cursor?: string | undefined },
): Promise<Page<EventRow>> {
  const forward = filters.order === "asc"
  const after = decodeCursor(cursor, filters)
  const { row } = await callAs(ctx, credential, "list_events", {
    forward,
    type: filters.type ?? null,
    turn_id: filters.turn ?? null,
    created_after: instantOf(filters.created_after),
    created_before: instantOf(filters.created_before),
    ...(forward && after ? parseFeedKey(after) : { after_xact: null, after: after ?? null }),
    limit,
    bytes: WEBHOOK_POLICY.batchBytes,
  })
  const events = (row.events ?? []).map(({ full_event, feed_key }) => ({ ...eventRowOf(full_event), feed_key }))
  const more = row.more === true
  const page = toPage(events, { more, filters, idOf: (event) => (forward ? event.feed_key : event.event_id) })
  if (!forward) return page
  // The next cursor: after the last event, or where this page started.
  return {
    ...page,
    next_cursor:
      toPage(events, { more: true, filters, idOf: ({ feed_key }) => feed_key }).next_cursor ?? cursor ?? null,
  }
}

const instantOf = (text: string | undefined) => (text === undefined ? null : new Date(text))

/** Parses a cursor's `<transaction>_<event id>`. */
function parseFeedKey(feed_key: string): { after_xact: string; after: string } {
  const [, xact, eventId] = /^(\d{1,19})_(evt_\w+)$/.exec(feed_key) ?? []
  if (!xact || !eventId) {
    throw new TurnpikeError("VALIDATION_FAILED", "This cursor does not belong to this list.", { param: "cursor" })
  }
  return { after_xact: xact, after: eventId }
}

/** Returns one event. Throws NOT_FOUND. */
export async function getEvent(ctx: Context, credential: Credential, eventId: string): Promise<EventRow> {
  const { row } = await callAs(ctx, credential, "get_event", { event_id: eventId })
  if (!row.full_event) {
    throw new TurnpikeError("NOT_FOUND", `There is no event "${eventId}" that you can see.`)
  }
  return eventRowOf(row.full_event)
}
