import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/**
 * Retries a save while the database is unavailable, because the provider gives the value only once.
 * `save` must be idempotent, since an answer may have been lost.
 */
export async function keepTrying<T>({ clock }: Pick<Context, "clock">, save: () => Promise<T>): Promise<T> {
  const { saveWaitsMs, saveMs } = PROVIDER_POLICY
  const began = clock.now().getTime()
  for (let tries = 0; ; tries++) {
    try {
      return await save()
    } catch (error) {
      const waitMs = saveWaitsMs[tries]
      const passing = error instanceof TurnpikeError && error.code === "UNAVAILABLE"
      if (!passing || waitMs === undefined || clock.now().getTime() - began + waitMs > saveMs) throw error
      await clock.sleep(waitMs)
    }
  }
}
