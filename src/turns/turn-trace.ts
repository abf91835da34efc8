import * as z from "zod"
import type { ProviderDetails } from "../agent/provider-said.ts"
import { toInstant } from "../base/time.ts"
import { EFFORTS, SERVICE_TIERS } from "../base/words.ts"
import { providerDetailsSchema } from "./provider-details.ts"
import type { TurnEventRow } from "./turn-event.ts"
import type { Waiting } from "./waiting-schema.ts"

/** The name of a wait for nothing that has a name. */
const PAUSE = "Waiting"
const SPAN_KINDS = ["queue", "model", "tool", "attempt", "wait"] as const

const spanSchema = z
  .object({
    kind: z.enum(SPAN_KINDS).meta({
      description:
        "`queue`: until a worker took the turn. `model`: a model call. `tool`: a tool call. `attempt`: a call of a model, a container or a " +
        "sub-agent that failed; only its end is known. `wait`: a pause before the next attempt, until the provider has capacity, or until a " +
        "person or another system acts: a decision, a result or a higher limit.",
      example: "model",
    }),
    name: z.string().meta({
      description:
        "The model, the tool, the code of the failed attempt, or the tools or the limit that the turn waits for.",
      example: "rehearsal/standard",
    }),
    step: z.int().nullable().meta({ description: "The number of its step.", example: 0 }),
    subagent: z.string().nullable().meta({ description: "The sub-agent that made the call.", example: null }),
    start_ms: z.int().meta({ description: "Milliseconds from the acceptance of the turn to its start.", example: 12 }),
    duration_ms: z.int().meta({ example: 840 }),
    state: z.enum(["ok", "failed", "open"]).meta({ description: "`open`: it has not ended.", example: "ok" }),
    detail: z.string().nullable().meta({
      description:
        "Why a model's answer ended, the kind of a failed call, or what a pause waits for, such as `approval`.",
      example: "tool-calls",
    }),
    tokens: z
      .object({
        input: z.int().meta({ example: 812 }),
        cached: z.int().meta({ description: "The part of `input` from the provider's cache.", example: 640 }),
        output: z.int().meta({ example: 164 }),
        reasoning: z.int().meta({ description: "The part of `output` that is reasoning.", example: 100 }),
      })
      .nullable()
      .meta({ description: "The tokens of a model call that has ended." }),
    settings: z
      .object({
        max_output_tokens: z.int().nullable().meta({ example: 2_000 }),
        temperature: z.number().nullable().meta({ example: null }),
        reasoning: z.enum(EFFORTS).nullable().meta({ example: "low" }),
        service_tier: z.enum(SERVICE_TIERS).nullable().meta({ example: null }),
      })
      .nullable()
      .meta({ description: "How a model was called, if the turn or the manifest of its space says so." }),
    error: providerDetailsSchema
      .nullable()
      .meta({ description: "The words of the model's provider about a failed attempt.", example: null }),
  })
  .meta({ id: "TraceSpan" })

export type TraceSpan = z.infer<typeof spanSchema>
/** The fields that every span gets from its times, or has by default. */
type Timed = "start_ms" | "duration_ms" | "error" | "tokens" | "settings"

export const turnTraceSchema = z
  .object({
    turn_id: z.string(),
    total_ms: z.int().meta({ description: "The time from acceptance to the end, or until now.", example: 1240 }),
    space: z.object({ space_id: z.string(), title: z.string().meta({ example: "Support" }) }),
    key: z
      .object({ key_id: z.string(), name: z.string().meta({ example: "Production" }) })
      .nullable()
      .meta({ description: "The API key that sent the turn. Null for a web chat." }),
    request_id: z.string().nullable().meta({ description: "The request that sent the turn. Null if it is not known." }),
    idempotency_key: z.string().meta({ example: "order-1001" }),
    context: z
      .object({
        earlier_turns: z.int().meta({ description: "The earlier turns of the conversation.", example: 40 }),
        seen_turns: z.int().meta({ description: "The newest of them that the agent saw.", example: 12 }),
        results_left_out: z.int().meta({ description: "Results of tools that a note replaced.", example: 0 }),
      })
      .nullable()
      .meta({
        description:
          "The part of the conversation that the agent saw, if its prompt did not fit into the model's window. Null: all of it.",
      }),
    spans: z.array(spanSchema).meta({ description: "By their start." }),
  })
  .meta({ id: "TurnTrace" })

/** A call of a turn that failed: of a model, a container or a sub-agent. */
export interface FailedAttempt {
  kind: string
  code: string
  details: ProviderDetails | null
  created_at: string
}

interface Traced {
  created_at: string
  started_at: string | null
  finished_at: string | null
  model: string
}

/** A part of the turn that belongs to no step. */
const OWN = { step: null, subagent: null }

const stepOfEvent = (data: Record<string, unknown>) => (typeof data.step === "number" ? data.step : null)
const textOf = (value: unknown) => (typeof value === "string" ? value : null)
const keyOf = ({ data }: TurnEventRow) => `${data.step} ${data.call ?? ""}`

/** Null: the call has not ended. */
function tokensOf({ tokens_input: input, ...data }: Record<string, unknown>): TraceSpan["tokens"] {
  if (input === undefined) return null
  const [cached, output, reasoning] = [data.tokens_cached, data.tokens_output, data.tokens_reasoning ?? 0].map(Number)
  return { input: Number(input), cached: cached ?? 0, output: output ?? 0, reasoning: reasoning ?? 0 }
}

function settingsOf(data: Record<string, unknown>): TraceSpan["settings"] {
  const { max_output_tokens: most, temperature, reasoning, service_tier } = data
  if ([most, temperature, reasoning, service_tier].every((setting) => setting === undefined)) return null
  return {
    max_output_tokens: typeof most === "number" ? most : null,
    temperature: typeof temperature === "number" ? temperature : null,
    reasoning: EFFORTS.find((effort) => effort === reasoning) ?? null,
    service_tier: SERVICE_TIERS.find((tier) => tier === service_tier) ?? null,
  }
}

/** The parts of a turn in time, from its events and its failed attempts. It has no text of the account. */
export function traceSpans(
  turn: Traced,
  { events, attempts, now }: { events: TurnEventRow[]; attempts: FailedAttempt[]; now: Date },
): TraceSpan[] {
  const from = Date.parse(turn.created_at)
  const end = turn.finished_at === null ? now.getTime() : Date.parse(turn.finished_at)
  const at = (instant: string) => Math.max(0, Date.parse(instant) - from)
  const span = (
    start: number,
    until: number,
    rest: Omit<TraceSpan, Timed> & Partial<Pick<TraceSpan, "error" | "tokens" | "settings">>,
  ): TraceSpan => ({
    start_ms: Math.round(start),
    duration_ms: Math.max(0, Math.round(until - start)),
    error: null,
    tokens: null,
    settings: null,
    ...rest,
  })
  const over = turn.finished_at !== null
  const taken = turn.started_at === null ? end - from : at(turn.started_at)
  const isQueued = turn.started_at === null && !over
  const queue = span(0, taken, { ...OWN, kind: "queue", name: "Queue", state: isQueued ? "open" : "ok", detail: null })
  const calls = [...callSpans("step.started", "step.ended"), ...callSpans("tool.started", "tool.ended")]
  const failures = attempts.map(({ kind, code, details, created_at }) =>
    span(at(created_at), at(created_at), {
      ...OWN,
      kind: "attempt",
      name: code,
      state: "failed",
      detail: kind,
      error: details,
    }),
  )
  const waits = [
    ...failures.flatMap(({ start_ms, detail }) =>
      detail === "model_call" ? [{ start: start_ms, detail: "next attempt" }] : [],
    ),
    ...events
      .filter(({ type }) => type === "model.waiting")
      .map(({ created_at, data }) => ({ start: at(created_at), detail: textOf(data.reason) ?? "capacity" })),
  ].flatMap(({ start, detail }) => {
    const next = [...calls, ...failures].map(({ start_ms }) => start_ms).filter((other) => other > start)
    const until = Math.min(end - from, ...next)
    const state = next.length === 0 && !over ? ("open" as const) : ("ok" as const)
    const wait = span(start, until, { kind: "wait", name: PAUSE, step: null, subagent: null, state, detail })
    return wait.duration_ms > 0 ? [wait] : []
  })
  // Within a millisecond, a step's tools come after its model call and before the next step.
  const order = ({ step, kind }: TraceSpan) => (step ?? -1) * SPAN_KINDS.length + SPAN_KINDS.indexOf(kind)
  return [queue, ...calls, ...failures, ...waits, ...halts()].sort(
    (a, b) => a.start_ms - b.start_ms || order(a) - order(b),
  )

  /** A wait for a limit, a decision or a result ends with the next `turn.resumed`, or with the turn. */
  function halts(): TraceSpan[] {
    const resumed = events.filter(({ type }) => type === "turn.resumed")
    return events
      .filter(({ type }) => type === "turn.waiting")
      .map(({ seq, created_at, data }) => {
        const next = resumed.find((event) => event.seq > seq)
        const waiting = (data.waiting ?? {}) as Partial<Waiting>
        const tools = [...new Set(waiting.calls?.map(({ tool }) => tool))]
        return span(at(created_at), next ? at(next.created_at) : end - from, {
          kind: "wait",
          name: waiting.limit?.kind ?? (tools.join(", ") || PAUSE),
          step: null,
          subagent: null,
          state: next || over ? "ok" : "open",
          detail: waiting.for ?? null,
        })
      })
  }

  /** A call has an event for its start and one for its end. A call that was cut has no end. */
  function callSpans(starts: "step.started" | "tool.started", ends: "step.ended" | "tool.ended"): TraceSpan[] {
    const begun = new Map(events.filter(({ type }) => type === starts).map((event) => [keyOf(event), event]))
    const ended = new Map(events.filter(({ type }) => type === ends).map((event) => [keyOf(event), event]))
    return [...new Set([...begun.keys(), ...ended.keys()])].map((key) => {
      const [first, last] = [begun.get(key), ended.get(key)]
      const data = { ...first?.data, ...last?.data }
      const until = last ? at(last.created_at) : end - from
      const lasted = typeof data.duration_ms === "number" ? data.duration_ms : null
      const start = lasted !== null ? Math.max(0, until - lasted) : first ? at(first.created_at) : until
      const isTool = starts === "tool.started"
      const failed = isTool ? data.ok === false : data.finish === "error" || data.finish === "aborted"
      return span(start, until, {
        kind: isTool ? "tool" : "model",
        name: textOf(isTool ? data.name : data.model) ?? turn.model,
        step: stepOfEvent(data),
        subagent: textOf(data.agent),
        state: last ? (failed ? "failed" : "ok") : over ? "failed" : "open",
        detail: isTool ? null : textOf(data.finish),
        ...(!isTool && { tokens: tokensOf(data), settings: settingsOf(data) }),
      })
    })
  }
}

export interface TraceRow extends Traced {
  turn_id: string
  key_id: string | null
  key_name: string | null
  space: string
  space_title: string
  request_id: string | null
  idempotency_key: string
  events: TurnEventRow[]
  attempts: FailedAttempt[]
}

/** The part of the conversation that the space's own agent saw at last. */
function contextOf(events: readonly TurnEventRow[]): z.infer<typeof turnTraceSchema>["context"] {
  const last = events.findLast(({ type, data }) => type === "context.trimmed" && (data.agent ?? null) === null)
  if (!last) return null
  const [turns, earlier, results] = [last.data.turns, last.data.earlier, last.data.results].map(Number)
  return { earlier_turns: earlier ?? 0, seen_turns: (earlier ?? 0) - (turns ?? 0), results_left_out: results ?? 0 }
}

export function serializeTrace(row: TraceRow, now: Date): z.infer<typeof turnTraceSchema> {
  const { turn_id, key_id, key_name, space, space_title, request_id, idempotency_key, events, attempts } = row
  const end = row.finished_at === null ? now.toISOString() : toInstant(row.finished_at)
  return {
    turn_id,
    total_ms: Math.max(0, Date.parse(end) - Date.parse(row.created_at)),
    space: { space_id: space, title: space_title },
    key: key_id === null ? null : { key_id, name: key_name ?? "" },
    request_id,
    idempotency_key,
    context: contextOf(events),
    spans: traceSpans(row, { events, attempts, now }),
  }
}
