import { newId } from "../base/ids.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { waitOfEvent } from "./turn-row.ts"

/** A row of the view `turn_log`, which has the columns of `turn_events`, as `to_jsonb` returns it. */
export interface TurnEventRow extends Omit<JsonRow<"turn_events">, "data"> {
  data: Record<string, unknown>
}

/** Where the text of a `text.delta` begins in the text of its call. `of`: the event that started the call. */
export interface TextPlace {
  of: string
  at: number
}

export function serializeTurnEvent(row: TurnEventRow) {
  const { part: _part, ...told } = row.data
  const data = told.waiting ? { ...told, waiting: waitOfEvent(told) } : told
  return { id: row.event_id, seq: row.seq, type: row.type, data, created_at: toInstant(row.created_at) }
}

/** An event to write. The statement assigns its `seq`. */
export interface EventDraft {
  id: string
  type:
    | "step.started"
    | "step.ended"
    | "tool.started"
    | "tool.ended"
    | "tool.requested"
    | "text.delta"
    | "model.waiting"
    | "context.trimmed"
    | "context.summarised"
    | "request.adjusted"
  data: Record<string, unknown>
  at: Date
}

export function draftEvent(type: EventDraft["type"], data: Record<string, unknown>, at: Date): EventDraft {
  return { id: newId("event", at), type, data, at }
}
