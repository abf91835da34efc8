import type { Clock } from "./clock.ts"

/** A signal that is aborted with what `reason` makes after `ms`, unless it is cleared before. */
export function abortAfter(clock: Clock, ms: number, reason: () => unknown): { signal: AbortSignal; clear(): void } {
  const over = new AbortController()
  return { signal: over.signal, clear: clock.after(ms, () => over.abort(reason())) }
}
