import { type RawBuilder, sql } from "kysely"
import { callsOf, type EngineName, type ModelAnswer } from "../agent/engine.ts"

/** A model call that came back: what its commit writes. */
export interface FinishedStep {
  /** Its number in the turn, over all agents: 0, 1, 2, … */
  step: number
  /** The call that the sub-agent works for; null for the space's own agent. */
  agent: string | null
  answer: ModelAnswer
  provider: EngineName
  pin: string
  priceVersion: number
  /** Credit micros, already bounded by what is left of the hold. */
  cost: number
  durationSec: number
}

/** The assignments to turns `t` that a step adds up to. */
export function addStep(step: FinishedStep): RawBuilder<unknown> {
  const { usage } = step.answer
  return sql`cost_credit_micros = t.cost_credit_micros + ${step.cost}::bigint,
    model_calls = t.model_calls + 1,
    tokens_input = t.tokens_input + ${usage.tokensInput}::bigint,
    tokens_cached = t.tokens_cached + ${usage.tokensCached}::bigint,
    tokens_output = t.tokens_output + ${usage.tokensOutput}::bigint,
    attempts = 0, model_failures = 0`
}

/**
 * The CTEs that keep a step and its usage record, for the turn in the CTE `turn`; `billed` is an SQL amount. The record of the
 * step that ends a turn is settled with it. A web-chat turn (one without a key) has no usage records: it is in api_turns once it
 * has ended (contract section 2.2).
 */
export function stepCtes(
  step: FinishedStep,
  now: Date,
  { billed, settled }: { billed: RawBuilder<unknown>; settled: boolean },
): RawBuilder<unknown> {
  const { usage, text, content, finish } = step.answer
  return sql`kept_step as (
    insert into turn_steps (turn_id, step, agent, epoch, text, content, pending_calls, finish, cost_credit_micros, created_at)
    select turn_id, ${step.step}::integer, ${step.agent}::text, epoch, ${text}, ${JSON.stringify(content)}::jsonb,
      ${callsOf(content).length}::integer, ${finish}, ${step.cost}::bigint, ${now}::timestamptz
    from turn
  ), kept_usage as (
    insert into usage (turn_id, step, user_id, space_id, key_id, end_user_ref, provider, model, role, tokens_input,
      tokens_cached, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, settled_at, created_at)
    select turn_id, ${step.step}::integer, user_id, space_id, key_id, end_user_ref, ${step.provider}, ${step.pin},
      ${step.agent === null ? "orchestrator" : "subagent"}, ${usage.tokensInput}::bigint, ${usage.tokensCached}::bigint,
      ${usage.tokensOutput}::bigint, ${step.durationSec}::double precision, ${step.priceVersion}::integer,
      ${step.cost}::bigint, ${billed}, ${settled ? sql`finished_at` : sql`null`}, ${now}::timestamptz
    from turn where key_id is not null
  )`
}
