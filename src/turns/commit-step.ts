import { sql } from "kysely"
import type { Context } from "../context.ts"
import type { Claim } from "./claim-turn.ts"
import { addStep, type FinishedStep, stepCtes } from "./finished-step.ts"
import { TURN_POLICY } from "./policies.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

/**
 * Commits a step after which the turn goes on, and renews the lease; with `handOver` gives the lease back, for the
 * next callback. Null when this worker's epoch is stale: somebody else has the turn, so write nothing more.
 */
export async function commitStep(
  ctx: Context,
  claim: Claim,
  step: FinishedStep,
  { handOver }: { handOver: boolean },
): Promise<TurnRow | null> {
  const now = ctx.clock.now()
  const lease = handOver ? null : new Date(now.getTime() + TURN_POLICY.leaseMs)
  const { rows } = await sql<{ turn: TurnRow }>`with turn as (
      update turns t set ${addStep(step)}, lease_until = ${lease}::timestamptz, wake_at = ${lease ?? now}::timestamptz
      where t.turn_id = ${claim.turn.turn_id} and t.epoch = ${claim.turn.epoch} and t.state = 'running'
      returning t.*
    ), ${stepCtes(claim, step, now, sql`0`)}
    select ${turnJson} as turn from turn t join spaces s on s.space_id = t.space_id`.execute(ctx.db)
  return rows[0]?.turn ?? null
}

/** Gives a turn back for `delayMs` after its model did not answer. Null when the epoch is stale. */
export async function backOff(ctx: Context, turn: TurnRow, delayMs: number): Promise<TurnRow | null> {
  const wake = new Date(ctx.clock.now().getTime() + delayMs)
  const { rows } = await sql<{ turn: TurnRow }>`with turn as (
      update turns t set model_failures = t.model_failures + 1, attempts = 0, lease_until = null,
        wake_at = ${wake}::timestamptz
      where t.turn_id = ${turn.turn_id} and t.epoch = ${turn.epoch} and t.state = 'running'
      returning t.*
    ) select ${turnJson} as turn from turn t join spaces s on s.space_id = t.space_id`.execute(ctx.db)
  return rows[0]?.turn ?? null
}
