import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import { traceHeaders } from "../base/trace-context.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Output, Turn, TurnState } from "./schemas.ts"

/** A row of `turns` as `to_jsonb` returns it, with the slug of its space. */
export interface TurnRow extends Omit<JsonRow<"turns">, "state" | "metadata" | "file_ids" | "outputs"> {
  space: string
  state: TurnState
  metadata: Record<string, string>
  file_ids: string[]
  outputs: Output[]
}

/** Makes one row of a procedure's answer, which has the turn and the slug in two columns. */
export function turnRowOf(row: { turn: JsonRow<"turns">; slug: string | null }): TurnRow
export function turnRowOf(row: { turn: JsonRow<"turns"> | null; slug: string | null }): TurnRow | null
export function turnRowOf({ turn, slug }: { turn: JsonRow<"turns"> | null; slug: string | null }): TurnRow | null {
  return turn && ({ ...turn, space: slug ?? "" } as TurnRow)
}

export function isTerminal(state: TurnState): boolean {
  return state === "done" || state === "failed" || state === "cancelled"
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
    status_reason: row.status_reason,
    text: row.text,
    result: row.result,
    truncated: row.truncated,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    files: row.file_ids,
    outputs: row.outputs,
    billed_cost_usd: toUsd(row.billed_credit_micros),
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
