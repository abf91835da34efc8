import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { callOne } from "../platform/db.ts"
import type { Attempt } from "./attempt-delivery.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/** The changes of the endpoint. */
export interface Recorded {
  /** Why it was disabled; null if it was not. */
  reason: EndpointRow["disabled_reason"]
  /** True if another endpoint gets the event about it. */
  has_subscriber: boolean
}

/**
 * Commits the results of a run's attempts. It retries if the database does not respond, since
 * unrecorded deliveries would be sent again. A repeated commit has no further effect.
 */
export async function recordAttempts(ctx: Context, endpoint: Tried, attempts: Attempt[]): Promise<Recorded> {
  for (let tries = 1; ; tries++) {
    try {
      return await record(ctx, endpoint, attempts)
    } catch (error) {
      if (tries === WEBHOOK_POLICY.recordTries || !(error instanceof TurnpikeError)) throw error
    }
  }
}

/** The endpoint at the time of the attempts. */
type Tried = Pick<EndpointRow, "webhook_id" | "url">

async function record(ctx: Context, { webhook_id, url }: Tried, attempts: Attempt[]): Promise<Recorded> {
  const now = ctx.clock.now()
  return callOne<"record_attempts", Recorded>(ctx.db, "record_attempts", {
    webhook_id,
    url,
    attempts,
    failing_before: new Date(now.getTime() - WEBHOOK_POLICY.disableAfterMs),
    event_id: newId("event", now),
    stop_batch: WEBHOOK_POLICY.stopBatch,
    moment: now,
  })
}
