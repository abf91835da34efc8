/** The source of time. Tests control it; no other code reads the machine's clock. */
export interface Clock {
  now(): Date
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason if it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `act` after `ms` milliseconds, unless the returned function is called first. */
  after(ms: number, act: () => void): () => void
  /**
   * Yields to other work for about `ms` milliseconds. No code may depend on the duration: a test's
   * clock does not wait.
   */
  pause(ms: number): Promise<void>
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop)
        resolve()
      }, ms)
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      signal?.addEventListener("abort", stop, { once: true })
    }),
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/**
 * How many seconds a clock is ahead of the machine's, for a library that reads the machine's time in whole seconds.
 */
export const secondsAhead = (clock: Clock): number => clock.now().getTime() / 1000 - Math.floor(Date.now() / 1000)

/** The source of randomness, which tests may replace. Returns a number in [0, 1). */
export const systemRandom = (): number => Math.random()

/** A signal that aborts after `ms` with the result of `reason`, unless it is cleared first. */
export function abortAfter(clock: Clock, ms: number, reason: () => unknown): { signal: AbortSignal; clear(): void } {
  const over = new AbortController()
  return { signal: over.signal, clear: clock.after(ms, () => over.abort(reason())) }
}
