import type { Context } from "../actor/context.ts"
import type { ERROR_KINDS } from "../base/words.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { INFRASTRUCTURE_POLICY } from "./policies.ts"

export interface InfrastructureError {
  kind: (typeof ERROR_KINDS)[number]
  /** The name of the provider or container. */
  name: string
  /** An error code of this service. Never a text from an account or a server. */
  code: string
  /** The provider's words, as owners may see them. */
  details?: object | undefined
  /** The provider's words without keys, for operators. */
  said?: string | undefined
}

/** Records a failure of a live turn in the background. Never throws, so that the turn is not affected. */
export function noteError(
  ctx: Context,
  { turn_id, test }: { turn_id: string; test: boolean },
  { details, said, ...error }: InfrastructureError,
): void {
  if (test) return
  const words = { details: details ?? null, said: said ?? null }
  const noted = call(ctx.db, "note_infrastructure_error", { ...error, ...words, turn_id, moment: ctx.clock.now() })
  const unnoted = (why: unknown) => {
    ctx.log("error", "infrastructure.error_unnoted", { turn_id, ...error, error: describeError(why) })
  }
  ctx.background(noted.catch(unnoted))
}

/** Deletes old failures and old billed container calls. */
export async function sweepInfrastructure(ctx: Context): Promise<{ errors: number; calls: number }> {
  const { keepDays, sweepBatch: limit, sweepBatches } = INFRASTRUCTURE_POLICY
  const until = new Date(ctx.clock.now().getTime() - keepDays * 86_400_000)
  const swept = { errors: 0, calls: 0 }
  for (let batch = 0; batch < sweepBatches; batch++) {
    const { errors, calls } = await callOne(ctx.db, "sweep_infrastructure", { until, limit })
    swept.errors += errors ?? 0
    swept.calls += calls ?? 0
    if ((errors ?? 0) < limit && (calls ?? 0) < limit) break
  }
  return swept
}
