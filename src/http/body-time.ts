import { TurnpikeError } from "../base/errors.ts"
import type { Clock } from "../platform/clock.ts"
import { BODY_POLICY } from "./policies.ts"

/** What `read` answers, or REQUEST_TIMEOUT when that takes longer than `ms`. What it reads then is left alone. */
export async function inTime<T>(clock: Clock, ms: number, read: () => Promise<T>): Promise<T> {
  let stop = () => {}
  const late = new Promise<never>((_resolve, reject) => {
    stop = clock.after(ms, () => reject(tooSlow(ms)))
  })
  try {
    return await Promise.race([read(), late])
  } finally {
    stop()
  }
}

const tooSlow = (ms: number) =>
  new TurnpikeError("REQUEST_TIMEOUT", `The body did not come: nothing was read of it for ${ms / 1000} s.`, {
    param: "body",
  })

/** What reading a body has thrown, as an error of the request. */
export function brokenOff(cause: unknown): never {
  if (cause instanceof TurnpikeError) throw cause
  throw new TurnpikeError("VALIDATION_FAILED", "The body broke off before its end.", { param: "body", cause })
}

/** Calls `end` when a reader takes nothing of an answer for the time of BODY_POLICY: between `sent` and `taken`. */
export function untilTaken(clock: Clock, end: () => void): { sent(): void; taken(): void } {
  let stop = () => {}
  return {
    sent() {
      stop = clock.after(BODY_POLICY.idleMs, end)
    },
    taken: () => stop(),
  }
}
