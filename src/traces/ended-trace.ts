import type { ToolCallPart, ToolOutput } from "../agent/engine.ts"
import type { Answers } from "../platform/procedures.ts"
import type { FailedAttempt } from "../turns/turn-trace.ts"

/** A line of a turn's log. */
export interface LoggedEvent {
  seq: number
  type: string
  data: Record<string, unknown>
  created_at: string
}

export interface TracedDelivery {
  delivery_id: string
  webhook_id: string
  type: string
  /** `pending`, `delivered` or `failed`. */
  state: string
  attempts: number
  /** The status of the last attempt; null if there was no response. */
  status: number | null
  started_at: string
  ended_at: string
}

/** A model call's counts and price that its events do not have. */
export interface TracedCost {
  step: number
  /** Null: the provider counts no such tokens. */
  tokens_cache_written: number | null
  billed_credit_micros: number
}

export interface TracedStep {
  step: number
  text: string
  content: { type: string }[]
  results: Record<number, ToolOutput>
}

/** An ended turn with everything that its spans are made of (ended_trace in trace-exports.sql). */
export interface EndedTrace
  extends Omit<Answers["ended_trace"], "events" | "attempts" | "costs" | "deliveries" | "steps"> {
  events: LoggedEvent[]
  attempts: FailedAttempt[]
  costs: TracedCost[]
  deliveries: TracedDelivery[]
  /** Null: the endpoint gets no texts. */
  steps: TracedStep[] | null
}

export const isToolCall = (part: { type: string }): part is ToolCallPart => part.type === "tool-call"
