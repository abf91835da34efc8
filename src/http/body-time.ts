import { TurnpikeError } from "../base/errors.ts"
import type { Clock } from "../platform/clock.ts"
import { BODY_POLICY } from "./policies.ts"

/** The result of `read`, or REQUEST_TIMEOUT if it takes longer than `ms`. A late result is ignored. */
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
  new TurnpikeError("REQUEST_TIMEOUT", `The body did not arrive within ${ms / 1000} s.`, {
    param: "body",
  })

/** Converts an error while reading a body to an error of the request. */
export function brokenOff(cause: unknown): never {
  if (cause instanceof TurnpikeError) throw cause
  throw new TurnpikeError("VALIDATION_FAILED", "The connection closed before the whole body arrived.", {
    param: "body",
    cause,
  })
}

/** Calls `end` if a client reads nothing for BODY_POLICY.idleMs, measured from `sent` to `taken`. */
export function untilTaken(clock: Clock, end: () => void): { sent(): void; taken(): void } {
  let stop = () => {}
  return {
    sent() {
      stop = clock.after(BODY_POLICY.idleMs, end)
    },
    taken: () => stop(),
  }
}
