import { sql } from "kysely"
import type { Context } from "../context.ts"
import { inParallel } from "../in-parallel.ts"
import { describeError } from "../platform/log.ts"
import { hookedJson, wakeWebhooks } from "../webhooks/wake-webhooks.ts"
import { cancelCtes } from "./cancel-turn.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import { settleTurn } from "./settle-turn.ts"
import type { TurnRow } from "./turn-row.ts"
import { type EndedTurn, queueLimit, wakeNext } from "./wake-next.ts"

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
  // Those that can go on come first; each is tried once, so that what fails does not stand before the others.
  let last: DueTurn | undefined
  for (let batch = 0; batch < TURN_POLICY.sweepBatches; batch++) {
    const due = await liveTurns(ctx, last)
    const failedBefore = sweep.failed
    await sweepBatch(ctx, due, sweep)
    last = due.at(-1)
    if (due.length < TURN_POLICY.sweepBatch || sweep.failed - failedBefore === due.length) break
  }
  await sweepBatch(ctx, await expiredTurns(ctx), sweep)
  return sweep
}

async function sweepBatch(ctx: Context, due: DueTurn[], sweep: Sweep): Promise<void> {
  await inParallel(due, async (turn) => {
    try {
      sweep[await sweepTurn(ctx, turn)]++
    } catch (error) {
      sweep.failed++
      ctx.log("error", "sweep.turn_failed", { turn_id: turn.turn_id, error: describeError(error) })
    }
  })
}

/** What the sweeper needs of a turn; not its text, of which a batch would be too large an answer. */
type DueTurn = Pick<TurnRow, "turn_id" | "state" | "epoch" | "attempts" | "wake_at" | "created_at"> & {
  /** wake_at to the microsecond, as the keyset needs it. */
  wake_key: string
}

const dueColumns = sql`t.turn_id, t.state, t.epoch, t.attempts, t.wake_at, t.created_at, t.wake_at::text as wake_key`

/** Turns to call again: running ones, and queued ones at the head of their conversation that are not too old. */
async function liveTurns(ctx: Context, after: DueTurn | undefined): Promise<DueTurn[]> {
  const now = ctx.clock.now()
  const { rows } = await sql<DueTurn>`select ${dueColumns} from turns t
    where t.wake_at <= ${now}::timestamptz
      ${after ? sql`and (t.wake_at, t.turn_id) > (${after.wake_key}::timestamptz, ${after.turn_id})` : sql``}
      and (t.state = 'running' or (
        t.created_at > ${queueLimit(now)}::timestamptz
        and not exists (select 1 from turns e where e.conversation_id = t.conversation_id and e.position < t.position
          and e.state in ('queued', 'running'))))
    order by t.wake_at, t.turn_id limit ${TURN_POLICY.sweepBatch}`.execute(ctx.db)
  return rows
}

async function expiredTurns(ctx: Context): Promise<DueTurn[]> {
  const { rows } = await sql<DueTurn>`select ${dueColumns} from turns t
    where t.state = 'queued' and t.created_at <= ${queueLimit(ctx.clock.now())}::timestamptz
    order by t.created_at limit ${TURN_POLICY.sweepBatch}`.execute(ctx.db)
  return rows
}

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
    select to_jsonb(t) || ${hookedJson} || jsonb_build_object('last_position', place.last_position) as ended
    from touched t, place`.execute(ctx.db)
  if (!rows[0]) return
  wakeWebhooks(ctx, rows[0].ended)
  await wakeNext(ctx, rows[0].ended)
}
