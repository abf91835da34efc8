import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { cancelCtes } from "./cancel-turn.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import { settleTurn } from "./settle-turn.ts"
import type { TurnRow } from "./turn-row.ts"
import { type EndedTurn, wakeNext } from "./wake-next.ts"

export interface Sweep {
  republished: number
  expired: number
  lost: number
  failed: number
}

/**
 * The net under every lost message and dead worker: takes each turn whose `wake_at` has passed and publishes its
 * callback again, cancels it when nobody started it for an hour, or fails it as ENGINE_LOST after maxAttempts. A queued
 * turn behind another of its conversation is left alone: the one before it wakes it.
 */
export async function sweepTurns(ctx: Context): Promise<Sweep> {
  const sweep: Sweep = { republished: 0, expired: 0, lost: 0, failed: 0 }
  // Whoever has left many turns behind must not keep the others waiting for the next minute.
  for (let batch = 0; batch < TURN_POLICY.sweepBatches; batch++) {
    const due = await dueTurns(ctx)
    await sweepBatch(ctx, due, sweep)
    if (due.length < TURN_POLICY.sweepBatch) break
  }
  return sweep
}

async function sweepBatch(ctx: Context, due: DueTurn[], sweep: Sweep): Promise<void> {
  const work = due[Symbol.iterator]()
  const worker = async () => {
    for (const turn of work) {
      try {
        sweep[await sweepTurn(ctx, turn)]++
      } catch (error) {
        sweep.failed++
        ctx.log("error", "sweep.turn_failed", { turn_id: turn.turn_id, error: describeError(error) })
      }
    }
  }
  await Promise.all(Array.from({ length: 6 }, worker))
}

/** What the sweeper needs of a turn; not its text, of which a batch would be too large an answer. */
type DueTurn = Pick<TurnRow, "turn_id" | "state" | "epoch" | "attempts" | "wake_at" | "created_at">

async function dueTurns(ctx: Context): Promise<DueTurn[]> {
  const now = ctx.clock.now()
  const { rows } = await sql<DueTurn>`select t.turn_id, t.state, t.epoch, t.attempts, t.wake_at, t.created_at
    from turns t
    where t.wake_at <= ${now}::timestamptz and (
      t.state = 'running'
      or t.created_at <= ${queueLimit(now)}::timestamptz
      or not exists (select 1 from turns e where e.conversation_id = t.conversation_id and e.position < t.position
        and e.state in ('queued', 'running')))
    order by t.wake_at limit ${TURN_POLICY.sweepBatch}`.execute(ctx.db)
  return rows
}

const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)

async function sweepTurn(ctx: Context, turn: DueTurn): Promise<"republished" | "expired" | "lost" | "failed"> {
  if (turn.state === "queued" && new Date(turn.created_at) <= queueLimit(ctx.clock.now())) {
    await expireTurn(ctx, turn)
    return "expired"
  }
  if (turn.state === "running" && turn.attempts >= TURN_POLICY.maxAttempts) {
    const message = "The turn was lost several times while it ran. Nothing was billed."
    const outcome = { state: "failed", code: "ENGINE_LOST", message, ours: true, result: null } as const
    // A worker that was only slow may have committed a step since: then the turn is not lost.
    const stillLost = sql`t.attempts >= ${TURN_POLICY.maxAttempts} and coalesce(t.lease_until <= ${ctx.clock.now()}::timestamptz, true)`
    await settleTurn(ctx, turn, outcome, { onlyIf: stillLost })
    return "lost"
  }
  return (await publishTurn(ctx, turn, { because: "sweep" })) ? "republished" : "failed"
}

/** Cancels a turn that is still queued. A worker that claimed it meanwhile keeps it. */
async function expireTurn(ctx: Context, turn: DueTurn): Promise<void> {
  const { rows } = await sql<{ ended: EndedTurn }>`with
    ${cancelCtes(ctx, sql`t.turn_id = ${turn.turn_id} and t.state = 'queued'`, "expired")}
    select to_jsonb(touched) || jsonb_build_object('last_position', place.last_position) as ended
    from touched, place`.execute(ctx.db)
  if (rows[0]) await wakeNext(ctx, rows[0].ended)
}
