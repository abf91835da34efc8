import type { ProviderDetails } from "../agent/provider-said.ts"
import type { ResponseFormat } from "../agent-config/response-format.ts"
import { storedRow } from "../base/casts.ts"
import { parseExact } from "../base/exact-json.ts"
import { toUsd } from "../base/money.ts"
import type { Profile } from "../base/profile.ts"
import { toInstant } from "../base/time.ts"
import { traceHeaders } from "../base/trace-context.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Called } from "./caller-tools.ts"
import type { Output, Turn, TurnState } from "./schemas.ts"
import type { Waiting } from "./waiting-schema.ts"

/** A row of `turns` as `to_jsonb` returns it, with the slug of its space. */
export interface TurnRow
  extends Omit<
    JsonRow<"turns">,
    | "state"
    | "metadata"
    | "profile"
    | "file_ids"
    | "outputs"
    | "warnings"
    | "waiting"
    | "calls"
    | "end_user_price"
    | "error_details"
    | "reasoning_effort"
    | "stop"
  > {
  space: string
  state: TurnState
  metadata: Record<string, string>
  profile: Profile | null
  file_ids: string[]
  outputs: Output[]
  calls: Called[] | null
  warnings: Turn["warnings"] | null
  waiting: StoredWaiting | null
  reasoning_effort: NonNullable<Turn["reasoning"]>["effort"] | null
  stop: Turn["stop"]
  error_details: ProviderDetails | null
  end_user_price: Turn["price"]
  /** The earlier turn that waits; missing if the row does not know. */
  waits_behind?: string | null
  /** When the turn is cancelled if that one still waits. */
  waits_behind_until?: string | null
}

/** `Waiting` as the row stores it. */
export type StoredWaiting = Omit<Waiting, "limit"> & {
  limit: StoredLimit | null
}

/** Amounts in credit micros, of the end user's wallet or of the account. */
interface StoredLimit {
  kind: string
  needed: number
  limit: number | null
  continue_at: number | null
  resets_at: string | null
}

/** Makes one row of a procedure's answer, which has the turn and the slug in two columns. */
/** `waits_behind`, `waits_behind_until`: see `TurnRow`. */
interface AnsweredTurn<Turn> {
  turn: Turn
  slug: string | null
  waits_behind?: string | null
  waits_behind_until?: Date | null
}

export function turnRowOf(row: AnsweredTurn<JsonRow<"turns">>): TurnRow
export function turnRowOf(row: AnsweredTurn<JsonRow<"turns"> | null>): TurnRow | null
export function turnRowOf(row: AnsweredTurn<JsonRow<"turns"> | null>): TurnRow | null {
  const { turn, slug, waits_behind = null } = row
  const waits_behind_until = row.waits_behind_until?.toISOString() ?? null
  return turn && storedRow<TurnRow>({ ...turn, space: slug ?? "", waits_behind, waits_behind_until })
}

export function isTerminal(state: TurnState): boolean {
  return state === "done" || state === "failed" || state === "cancelled"
}

/** True if the turn waits, or cannot start because an earlier turn of its conversation waits. */
export const isWaiting = ({ waiting, waits_behind }: TurnRow): boolean =>
  waiting !== null || (waits_behind ?? null) !== null

export function serializeWaiting({ since, expires_at, limit, calls, ...waiting }: StoredWaiting): Waiting {
  return {
    for: waiting.for,
    since: toInstant(since),
    expires_at: toInstant(expires_at),
    limit: limit && serializeLimit(limit),
    calls,
  }
}

/** The wait that an event of the log tells. Events have no inputs, because their rows are never changed. */
export function waitingOfEvent({ waiting }: Record<string, unknown>): StoredWaiting | null {
  const told = (waiting ?? null) as StoredWaiting | null
  // A wait for a limit is told with null in place of an empty list.
  const calls: StoredWaiting["calls"] | null = told?.calls ?? null
  return told && { ...told, calls: (calls ?? []).map((call) => ({ ...call, input: null })) }
}

/** The same as responses show it. */
export function waitOfEvent(data: Record<string, unknown>): Waiting | null {
  const told = waitingOfEvent(data)
  return told && serializeWaiting(told)
}

const serializeLimit = ({ kind, needed, limit, continue_at, resets_at }: StoredLimit) => ({
  kind,
  needed_usd: toUsd(needed),
  limit_usd: usdOrNull(limit),
  continue_at_usd: usdOrNull(continue_at),
  resets_at: toInstant(resets_at),
})

const usdOrNull = (micros: number | null) => (micros === null ? null : toUsd(micros))

const errorOf = ({ error_code: code, error_message: message, error_details: details }: TurnRow): Turn["error"] =>
  code === null ? null : { code, message: message ?? "", details }

/** The response format as it was sent; null without one. */
export const formatOf = ({ response_format: text }: TurnRow): ResponseFormat | null =>
  text === null ? null : storedRow<ResponseFormat>(parseExact(text))

/** The value of a result with a form; null without one. */
export const outputOf = ({ has_output, result }: TurnRow): unknown =>
  has_output && result !== null ? parseExact(result) : null

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
    waits_behind_until: toInstant(row.waits_behind_until ?? null),
    status_reason: row.status_reason,
    text: row.text,
    result: row.result,
    output: outputOf(row),
    finish: row.state === "done" ? (row.calls === null ? "stop" : "tool_calls") : null,
    calls: row.calls ?? [],
    truncated: row.truncated,
    error: errorOf(row),
    warnings: row.warnings ?? [],
    files: row.file_ids,
    outputs: row.outputs,
    billed_cost_usd: toUsd(row.billed_credit_micros),
    refunded_usd: toUsd(row.refunded_credit_micros ?? 0),
    price: row.end_user_price,
    end_user_charge_usd: usdOrNull(row.end_user_charge_credit_micros),
    held_usd: toUsd(row.held_credit_micros),
    max_cost_usd: usdOrNull(row.max_cost_credit_micros),
    on_limit: row.on_limit as Turn["on_limit"],
    max_output_tokens: row.max_output_tokens,
    temperature: row.temperature,
    reasoning: row.reasoning_effort === null ? null : { effort: row.reasoning_effort },
    response_format: formatOf(row),
    stop: row.stop,
    store: row.store,
    usage: {
      model_calls: row.model_calls,
      tool_calls: row.tool_calls,
      tokens_input: row.tokens_input,
      tokens_cached: row.tokens_cached,
      tokens_output: row.tokens_output,
      tokens_reasoning: row.tokens_reasoning,
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
