import { toInstant } from "../time.ts"

/** A row of `turn_events`, as to_jsonb gives it. */
export interface TurnEventRow {
  turn_id: string
  seq: number
  event_id: string
  type: string
  data: Record<string, unknown>
  created_at: string
}

export function serializeTurnEvent(row: TurnEventRow) {
  return { id: row.event_id, seq: row.seq, type: row.type, data: row.data, created_at: toInstant(row.created_at) }
}
