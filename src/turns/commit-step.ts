import { sql } from "kysely"
import { callsOf, type ToolOutput } from "../agent/engine.ts"
import type { Context } from "../context.ts"
import type { MadeFile } from "../tools/bound-tool.ts"
import { addStep, type FinishedStep, stepCtes } from "./finished-step.ts"
import { TURN_POLICY } from "./policies.ts"
import { type EventDraft, insertEvents } from "./turn-event.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

type Mine = Pick<TurnRow, "turn_id" | "epoch">

/**
 * Commits what a model answered, before any of its tool calls starts, and renews the lease: whoever goes on with the turn
 * makes exactly these calls, under the same keys. Null when this worker's epoch is stale: write nothing more.
 */
export async function commitAnswer(
  ctx: Context,
  mine: Mine,
  step: FinishedStep,
  events: EventDraft[],
): Promise<TurnRow | null> {
  const now = ctx.clock.now()
  const lease = leaseFrom(now)
  const { rows } = await sql<{ turn: TurnRow }>`with turn as (
      update turns t set ${addStep(step)}, lease_until = ${lease}::timestamptz, wake_at = ${lease}::timestamptz,
        ${callsOf(step.answer.content).length > 0 ? sql`calls_start_until = greatest(t.calls_start_until, ${startLimit(now)}::timestamptz),` : sql``}
        last_event_seq = t.last_event_seq + ${events.length}::integer
      where t.turn_id = ${mine.turn_id} and t.epoch = ${mine.epoch} and t.state = 'running'
      returning t.*
    ), ${stepCtes(step, now, { billed: sql`0`, settled: false })}, events as (${insertEvents(events)})
    select ${turnJson} as turn from turn t join spaces s on s.space_id = t.space_id`.execute(ctx.db)
  return rows[0]?.turn ?? null
}

/**
 * Commits what the tool calls of a step answered (all of them, or those that have ended) with the files they made, and
 * renews the lease. Null when the epoch is stale.
 */
export async function commitResults(
  ctx: Context,
  mine: Mine,
  {
    step,
    results,
    files,
    events,
  }: {
    step: number
    results: Record<number, ToolOutput>
    files: MadeFile[]
    events: EventDraft[]
  },
): Promise<TurnRow | null> {
  const now = ctx.clock.now()
  const lease = leaseFrom(now)
  const count = Object.keys(results).length
  const { rows } = await sql<{ turn: TurnRow }>`with turn as (
      update turns t set tool_calls = t.tool_calls + ${count}::integer, attempts = 0,
        lease_until = ${lease}::timestamptz, wake_at = ${lease}::timestamptz,
        last_event_seq = t.last_event_seq + ${events.length}::integer
      where t.turn_id = ${mine.turn_id} and t.epoch = ${mine.epoch} and t.state = 'running'
      returning t.*
    ), kept_results as (
      update turn_steps p set results = p.results || ${JSON.stringify(results)}::jsonb,
        pending_calls = p.pending_calls - ${count}::integer
      from turn where p.turn_id = turn.turn_id and p.step = ${step}::integer
    ), kept_files as (
      insert into files (file_id, user_id, space_id, test, key_id, turn_id, name, media_type, bytes, sha256, object_key,
        place, state, created_at, updated_at)
      select f.file_id, turn.user_id, turn.space_id, turn.test, turn.key_id, turn.turn_id, f.name, f.media_type, f.bytes,
        f.sha256, f.object_key, f.place, 'pending', ${now}::timestamptz, ${now}::timestamptz
      from turn, jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as f(file_id text, name text, media_type text,
        bytes bigint, sha256 text, object_key text, place integer)
    ), events as (${insertEvents(events)})
    select ${turnJson} as turn from turn t join spaces s on s.space_id = t.space_id`.execute(ctx.db)
  return rows[0]?.turn ?? null
}

/** Gives a turn back for `delayMs` after its model did not answer. Null when the epoch is stale. */
export async function backOff(ctx: Context, turn: Mine, delayMs: number): Promise<TurnRow | null> {
  const wake = new Date(ctx.clock.now().getTime() + delayMs)
  const { rows } = await sql<{ turn: TurnRow }>`with turn as (
      update turns t set model_failures = t.model_failures + 1, attempts = 0, lease_until = null,
        wake_at = ${wake}::timestamptz
      where t.turn_id = ${turn.turn_id} and t.epoch = ${turn.epoch} and t.state = 'running'
      returning t.*
    ) select ${turnJson} as turn from turn t join spaces s on s.space_id = t.space_id`.execute(ctx.db)
  return rows[0]?.turn ?? null
}

/**
 * Whether the turn is still this worker's, and may start tool calls: then a cancel that comes now waits for their start, and
 * the lease is renewed for as long as they may take.
 */
export async function mayStartCalls(ctx: Context, mine: Mine): Promise<"yes" | "cancel" | "stale"> {
  const now = ctx.clock.now()
  const { rows } = await sql<{ cancel: boolean }>`update turns t set
      lease_until = ${leaseFrom(now)}::timestamptz, wake_at = ${leaseFrom(now)}::timestamptz,
      calls_start_until = case when t.cancel_requested_at is null
        then greatest(t.calls_start_until, ${startLimit(now)}::timestamptz) else t.calls_start_until end
    where t.turn_id = ${mine.turn_id} and t.epoch = ${mine.epoch} and t.state = 'running'
    returning t.cancel_requested_at is not null as cancel`.execute(ctx.db)
  if (!rows[0]) return "stale"
  return rows[0].cancel ? "cancel" : "yes"
}

/** A worker that was held up for longer asks again before it starts a call. */
const startLimit = (now: Date) => new Date(now.getTime() + TURN_POLICY.startCallsWithinMs)
const leaseFrom = (now: Date) => new Date(now.getTime() + TURN_POLICY.leaseMs)
