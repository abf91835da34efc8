import type { Clock } from "./clock.ts"

/** A signal that is aborted with what `reason` makes after `ms`, unless it is cleared before. */
export function abortAfter(clock: Clock, ms: number, reason: () => unknown): { signal: AbortSignal; clear(): void } {
  const over = new AbortController()
  const cleared = new AbortController()
  clock.sleep(ms, cleared.signal).then(
    () => over.abort(reason()),
    () => {},
  )
  return { signal: over.signal, clear: () => cleared.abort(CLEARED) }
}

// Nobody sees it, and an error of its own for each would write down a stack for each.
const CLEARED = new Error("cleared")
