import { composed } from "../base/casts.ts"
import type { Turn } from "../turns/schemas.ts"

/** The known fields of an accepted turn. Fields in neither list appear only in events of the turn's end. */
export const KNOWN_WHEN_QUEUED = [
  "turn_id",
  "space",
  "end_user_ref",
  "conversation",
  "text",
  "files",
  "model",
  "metadata",
  "price",
  "test",
  "traceparent",
  "tracestate",
  "on_limit",
  "max_output_tokens",
  "temperature",
  "reasoning",
  "response_format",
  "stop",
  "store",
  "created_at",
] as const satisfies (keyof Turn)[]

/** The known fields of a running turn. */
export const KNOWN_WHEN_RUNNING = [...KNOWN_WHEN_QUEUED, "started_at"] as const satisfies (keyof Turn)[]

/** The fields that an open turn's event stores itself, since the turn's values change later. */
type OfMoment = Pick<Turn, "state" | "held_usd"> & Partial<Pick<Turn, "waiting">>

/** The fields that are not known yet. */
type Unknown = Omit<Turn, (typeof KNOWN_WHEN_RUNNING)[number] | "state" | "held_usd">

/** The values of unknown fields that cannot be null. */
const NOT_YET: { [Name in keyof Unknown as null extends Turn[Name] ? never : Name]: Turn[Name] } = {
  truncated: false,
  outputs: [],
  calls: [],
  warnings: [],
  billed_cost_usd: 0,
  refunded_usd: 0,
  usage: { model_calls: 0, tool_calls: 0, tokens_input: 0, tokens_cached: 0, tokens_output: 0, tokens_reasoning: 0 },
}

/** A turn as it was while it was open. Fields that were unknown at that moment are null or empty. */
export function turnAsOf(turn: Turn, known: readonly (keyof Turn)[], ofMoment: OfMoment): Turn {
  const then: Record<string, unknown> = { ...NOT_YET, ...ofMoment }
  const shown = (name: string, value: unknown) => (known.includes(name as keyof Turn) ? value : (then[name] ?? null))
  return composed<Turn>(Object.fromEntries(Object.entries(turn).map(([name, value]) => [name, shown(name, value)])))
}
