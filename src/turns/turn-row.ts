import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { traceHeaders } from "../base/trace-context.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Output, Turn, TurnState, Waiting } from "./schemas.ts"

/** A row of `turns` as `to_jsonb` returns it, with the slug of its space. */
export interface TurnRow extends Omit<JsonRow<"turns">, "state" | "metadata" | "file_ids" | "outputs" | "waiting"> {
  space: string
  state: TurnState
  metadata: Record<string, string>
  file_ids: string[]
  outputs: Output[]
  waiting: StoredWaiting | null
  /** The earlier turn that waits; missing if the row does not know. */
  waits_behind?: string | null
}

/** `Waiting` as the row stores it. */
type StoredWaiting = Omit<Waiting, "limit"> & {
  limit: { kind: string; needed: number; resets_at: string | null } | null
}

/** Makes one row of a procedure's answer, which has the turn and the slug in two columns. */
/** `waits_behind`: see `TurnRow`. */
interface AnsweredTurn<Turn> {
  turn: Turn
  slug: string | null
  waits_behind?: string | null
}

export function turnRowOf(row: AnsweredTurn<JsonRow<"turns">>): TurnRow
export function turnRowOf(row: AnsweredTurn<JsonRow<"turns"> | null>): TurnRow | null
export function turnRowOf({ turn, slug, waits_behind = null }: AnsweredTurn<JsonRow<"turns"> | null>): TurnRow | null {
  return turn && ({ ...turn, space: slug ?? "", waits_behind } as unknown as TurnRow)
}

export function isTerminal(state: TurnState): boolean {
  return state === "done" || state === "failed" || state === "cancelled"
}

export function serializeWaiting({ since, expires_at, limit, calls, ...waiting }: StoredWaiting): Waiting {
  return {
    for: waiting.for,
    since: toInstant(since),
    expires_at: toInstant(expires_at),
    limit: limit && { kind: limit.kind, needed_usd: toUsd(limit.needed), resets_at: toInstant(limit.resets_at) },
    calls,
  }
}

/** The one shape of a turn in responses, lists and webhooks. */
export function serializeTurn(row: TurnRow): Turn {
  const { traceparent, tracestate = null } = traceHeaders(row, "turn")
  return {
    turn_id: row.turn_id,
    space: row.space,
    end_user_ref: row.end_user_ref,
    conversation: row.conversation_id,
    state: row.state,
    waiting: row.waiting && serializeWaiting(row.waiting),
    waits_behind: row.waits_behind ?? null,
    status_reason: row.status_reason,
    text: row.text,
    result: row.result,
    truncated: row.truncated,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    files: row.file_ids,
    outputs: row.outputs,
    billed_cost_usd: toUsd(row.billed_credit_micros),
    end_user_charge_usd: row.end_user_charge_credit_micros === null ? null : toUsd(row.end_user_charge_credit_micros),
    held_usd: toUsd(row.held_credit_micros),
    usage: {
      model_calls: row.model_calls,
      tool_calls: row.tool_calls,
      tokens_input: row.tokens_input,
      tokens_cached: row.tokens_cached,
      tokens_output: row.tokens_output,
    },
    model: row.model,
    metadata: row.metadata,
    test: row.test,
    traceparent,
    tracestate,
    texts_deleted_at: toInstant(row.erased_at ?? row.texts_deleted_at),
    steps_deleted_at: toInstant(row.erased_at ?? row.steps_deleted_at),
    created_at: toInstant(row.created_at),
    started_at: toInstant(row.started_at),
    finished_at: toInstant(row.finished_at),
  }
}
