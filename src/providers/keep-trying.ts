import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/**
 * Saves what a provider gave, again and again while the database does not answer: it is given once only. `save` must know its own
 * earlier effect, since an answer may have been lost.
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
