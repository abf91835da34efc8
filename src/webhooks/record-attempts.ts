import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { callOne } from "../platform/db.ts"
import type { Attempt } from "./attempt-delivery.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/** What recording changed about the endpoint. */
export interface Recorded {
  /** Why it was disabled, if it was. */
  reason: EndpointRow["disabled_reason"]
  /** Whether an endpoint gets that event. */
  has_subscriber: boolean
}

/**
 * Commits the results of a run's attempts: log, states, retry times, the endpoint's health. An endpoint that answered 410, or has only
 * failed for `disableAfterMs`, is disabled with an event, and its pending deliveries fail. Repeated when the database does not answer,
 * since deliveries that are not recorded are sent again; recording has its effect once.
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

/** An endpoint as it was when the attempts were made. */
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
