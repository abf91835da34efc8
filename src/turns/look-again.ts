import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { LOOK_POLICY } from "./policies.ts"

export const isUnavailable = (error: unknown) => error instanceof TurnpikeError && error.code === "UNAVAILABLE"

/**
 * Looks at a turn that this request has sent, and again while the database is too busy, until the next look would
 * come after `until`. Then throws the last look's error.
 */
export async function lookAgain<Found>(
  { clock }: Pick<Context, "clock">,
  look: () => Promise<Found>,
  { until, signal }: { until: number; signal: AbortSignal },
): Promise<Found> {
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (!isUnavailable(error) || clock.now().getTime() + LOOK_POLICY.pauseMs > until || signal.aborted) throw error
      await clock.sleep(LOOK_POLICY.pauseMs, signal).catch(() => {})
      if (signal.aborted) throw error
    }
  }
}

/** "Nothing was done", as the last try says, would be wrong if an earlier one was done and its answer lost. */
export function unsureTurn(cause: unknown): TurnpikeError {
  const message =
    "The database is too busy to say whether the turn was accepted. Send the request again with the same Idempotency-Key: " +
    "if the turn was accepted, it is returned."
  return new TurnpikeError("UNAVAILABLE", message, { retryAfter: 1, cause })
}

/** "Nothing was done", as the error of a look says, would be wrong for a turn that was accepted. */
export function unreadTurn(turnId: string, cause: unknown): TurnpikeError {
  const message = `The turn ${turnId} was accepted, but cannot be read at this moment. Read it with GET /v1/turns/${turnId}.`
  return new TurnpikeError("UNAVAILABLE", message, { retryAfter: 1, cause })
}
