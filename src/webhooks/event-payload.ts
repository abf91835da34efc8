import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { serializeTurn, type TurnRow } from "../turns/turn-row.ts"
import {
  type BalanceReachedRow,
  type CapReachedRow,
  serializeBalanceReached,
  serializeCapReached,
} from "./account-events.ts"
import type { Event } from "./schemas.ts"

/** A row of `events`, as to_jsonb gives it, with its turn's row. */
export interface EventRow extends Omit<JsonRow<"events">, "type" | "data"> {
  type: Event["type"]
  data: Record<string, unknown>
  turn: TurnRow | null
}

/**
 * An event as webhooks and the feed show it, the same at every attempt. A turn is shown as it was at its transition: fields that were
 * not known then are taken out of its row.
 */
export function serializeEvent(row: EventRow): Event {
  const { turn } = row
  return {
    id: row.event_id,
    type: row.type,
    created_at: toInstant(row.created_at),
    seq: row.seq,
    data: turn ? { turn: serializeTurn(asOf(turn, row)) } : accountData(row),
  }
}

/** The data of an event that belongs to no turn: the amounts of its moment, stored as credit micros. */
function accountData({ type, data }: EventRow): Event["data"] {
  if (type === "cap.reached") return serializeCapReached(data as unknown as CapReachedRow)
  if (type === "balance.low" || type === "balance.depleted")
    return serializeBalanceReached(data as unknown as BalanceReachedRow)
  return data
}

function asOf(turn: TurnRow, { type, data }: EventRow): TurnRow {
  if (type !== "turn.queued" && type !== "turn.running") return turn
  return {
    ...turn,
    state: type === "turn.queued" ? "queued" : "running",
    status_reason: null,
    result: null,
    truncated: false,
    error_code: null,
    error_message: null,
    outputs: [],
    billed_credit_micros: 0,
    held_credit_micros: Number(data.held_credit_micros),
    model_calls: 0,
    tool_calls: 0,
    tokens_input: 0,
    tokens_cached: 0,
    tokens_output: 0,
    started_at: type === "turn.queued" ? null : turn.started_at,
    finished_at: null,
  }
}
