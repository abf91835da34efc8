import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { traceOf } from "../base/trace-context.ts"
import { call, callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { describeError } from "../platform/log.ts"
import { createOutbound, type Outbound } from "../platform/outbound.ts"
import type { EndedTrace } from "./ended-trace.ts"
import { exportRequest, type TurnSpans } from "./otlp.ts"
import { SPAN_EXPORT_POLICY, TRACE_POLICY } from "./policies.ts"
import { type SentSpans, sendSpans } from "./send-spans.ts"
import { spansOfTurn } from "./spans-of-turn.ts"
import { openTraceHeaders } from "./trace-headers.ts"

type TraceExport = Pick<
  JsonRow<"trace_exports">,
  "destination" | "user_id" | "url" | "headers" | "headers_id" | "epoch" | "failures" | "with_text"
>

/** An endpoint that spans are sent to. */
interface Target {
  url: string
  headers: Record<string, string>
  service: string
  outbound: Outbound
}

/** One run: until when it starts requests, and which turns have settled. Its counts are for the log. */
interface ExportRun {
  stopsAt: number
  until: Date
  done: { requests: number; spans: number; failed: number }
}

/**
 * Sends the spans of ended turns to the endpoints of their accounts and of the operator. Each endpoint has its own
 * place in the ended turns. So one that fails or is slow delays no other, and nothing is stored for it.
 */
export async function sweepTraces(ctx: Context): Promise<ExportRun["done"]> {
  const now = ctx.clock.now()
  const run: ExportRun = {
    stopsAt: now.getTime() + SPAN_EXPORT_POLICY.runMs,
    until: new Date(now.getTime() - SPAN_EXPORT_POLICY.settlesMs),
    done: { requests: 0, spans: 0, failed: 0 },
  }
  for (let taken = 0; taken < SPAN_EXPORT_POLICY.endpoints && ctx.clock.now().getTime() < run.stopsAt; ) {
    const due = await takeDue(ctx, run)
    await Promise.all(due.map((one) => exportTo(ctx, one, run)))
    if (due.length < SPAN_EXPORT_POLICY.atOnce) break
    taken += due.length
  }
  return run.done
}

async function takeDue(ctx: Context, { until }: ExportRun): Promise<TraceExport[]> {
  const now = ctx.clock.now()
  const rows = await call(ctx.db, "take_trace_exports", {
    operator_text: ctx.operatorTraces?.withText ?? null,
    most: SPAN_EXPORT_POLICY.atOnce,
    until,
    oldest: new Date(now.getTime() - TRACE_POLICY.keepsMs),
    lease_until: new Date(now.getTime() + SPAN_EXPORT_POLICY.leaseMs),
    moment: now,
  })
  return rows.flatMap(({ take_trace_exports: taken }) => taken ?? [])
}

/** Sends what an endpoint has not got, in several requests. Never throws: the next run continues. */
async function exportTo(ctx: Context, due: TraceExport, run: ExportRun): Promise<void> {
  const { destination } = due
  try {
    const target = await targetOf(ctx, due)
    for (let { failures } = due, requests = 1; ; requests++) {
      const read = await callOne(ctx.db, "read_ended_traces", { destination, until: run.until, limits: LIMITS })
      const traces = storedRows<EndedTrace>(read.traces)
      const turns = traces.flatMap((trace) => turnSpans(ctx, due, trace))
      const spans = turns.reduce((sum, turn) => sum + turn.spans.length, 0)
      const sent = await send(ctx, target, turns)
      failures = sent.kind === "taken" ? 0 : failures + 1
      const stops = requests >= SPAN_EXPORT_POLICY.requests || ctx.clock.now().getTime() >= run.stopsAt
      const ends = sent.kind !== "taken" || read.more !== true || stops
      const place = sent.kind === "later" ? null : { at: read.ended_at, turn: read.last_turn }
      const taken = sent.kind === "taken" ? Math.max(0, spans - sent.rejected) : 0
      run.done.requests += turns.length > 0 ? 1 : 0
      run.done.spans += taken
      run.done.failed += sent.kind === "taken" ? 0 : 1
      if (sent.kind !== "taken") {
        const { status } = sent
        // An owner's collector may repeat texts in its error, so only the owner sees it.
        if (due.user_id !== null) ctx.log("info", "traces.not_taken", { destination, status, failures })
        else ctx.log("error", "traces.not_taken", { destination, status, error: sent.error, failures })
      }
      const noted = await note(ctx, due, { place, spans: taken, sent, failures, ends })
      if (ends || !noted) return
    }
  } catch (error) {
    run.done.failed++
    ctx.log("error", "traces.export_failed", { destination, error: describeError(error) })
    const sent: SentSpans = {
      kind: "later",
      error: "The spans could not be sent because of an error on our side.",
      status: null,
      retryAfterMs: null,
    }
    const failed = { place: null, spans: 0, sent, failures: due.failures + 1, ends: true }
    await note(ctx, due, failed).catch(() => false)
  }
}

const LIMITS = {
  turns: SPAN_EXPORT_POLICY.turns,
  bytes: SPAN_EXPORT_POLICY.bytes,
  text: TRACE_POLICY.text,
  events: TRACE_POLICY.events,
  attempts: SPAN_EXPORT_POLICY.attempts,
  deliveries: TRACE_POLICY.deliveries,
  window_seconds: SPAN_EXPORT_POLICY.windowMs / 1000,
}

async function targetOf(ctx: Context, { user_id, url, headers, headers_id }: TraceExport): Promise<Target> {
  const { fetch, clock, urlPolicy, operatorTraces, brand } = ctx
  if (user_id === null) {
    if (!operatorTraces) throw new Error("The operator has no endpoint.")
    const policy = { ...urlPolicy, operators: true } as const
    const { url, headers, service } = operatorTraces
    return { url, headers, service: service ?? brand, outbound: createOutbound({ fetch, clock, policy }) }
  }
  return {
    url: url ?? "",
    headers: await openTraceHeaders(ctx, { headers, headers_id }),
    service: brand,
    outbound: createOutbound({ fetch, clock, policy: urlPolicy }),
  }
}

/** A caller that did not sample its trace gets no spans of it; the operator does. A turn with broken rows has none. */
function turnSpans(ctx: Context, { user_id, with_text }: TraceExport, trace: EndedTrace): TurnSpans[] {
  const { turn } = trace
  if (user_id !== null && !traceOf(turn).isSampled) return []
  try {
    return [{ turn, spans: spansOfTurn(with_text ? trace : { ...trace, steps: null }, { account: user_id !== null }) }]
  } catch (error) {
    ctx.log("error", "traces.turn_failed", { turn_id: turn.turn_id, error: describeError(error) })
    return []
  }
}

async function send(ctx: Context, { service, ...target }: Target, turns: TurnSpans[]): Promise<SentSpans> {
  if (turns.length === 0) return { kind: "taken", rejected: 0, warning: null }
  const body = JSON.stringify(exportRequest(service, turns))
  return sendSpans(target.outbound, { ...target, body, now: ctx.clock.now() })
}

interface Noted {
  place: { at: Date | null; turn: string | null } | null
  spans: number
  sent: SentSpans
  failures: number
  ends: boolean
}

async function note(ctx: Context, due: TraceExport, { place, spans, sent, failures, ends }: Noted): Promise<boolean> {
  const now = ctx.clock.now()
  const { note_trace_export: noted } = await callOne(ctx.db, "note_trace_export", {
    destination: due.destination,
    epoch: due.epoch,
    ended_at: place?.at ?? null,
    turn_id: place?.turn ?? null,
    spans,
    error: sent.kind === "taken" ? sent.warning : sent.error,
    failures,
    next_at: nextAt(ctx, { now, sent, failures }),
    ends,
    moment: now,
  })
  return noted === true
}

/** Doubles the wait with each failure. An endpoint can ask for a longer one. */
function nextAt({ random }: Context, { now, sent, failures }: { now: Date; sent: SentSpans; failures: number }): Date {
  if (sent.kind === "taken") return now
  const { retryAfterMs, longestRetryMs, jitter } = SPAN_EXPORT_POLICY
  const wait = Math.min(retryAfterMs * 2 ** Math.min(failures - 1, 20), longestRetryMs)
  const jittered = wait * (1 + jitter * (2 * random() - 1))
  const asked = Math.min((sent.kind === "later" && sent.retryAfterMs) || 0, TRACE_POLICY.keepsMs)
  return new Date(now.getTime() + Math.max(Math.round(jittered), asked))
}
