/** The source of time. Tests stop it; nothing else reads the machine's clock. */
export interface Clock {
  now(): Date
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `act` after `ms` milliseconds, unless the returned function is called first. */
  after(ms: number, act: () => void): () => void
  /** Lets other work go first, for about `ms` milliseconds. Nothing may depend on how long: under a test's clock it is no time at all. */
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

/** How many seconds a clock is ahead of the machine's, for a library that reads the machine's whole seconds. */
export const secondsAhead = (clock: Clock): number => clock.now().getTime() / 1000 - Math.floor(Date.now() / 1000)

/** The source of randomness that tests may replace: a number from 0 to below 1. */
export const systemRandom = (): number => Math.random()

/** A signal that is aborted after `ms` with the result of `reason`, unless it is cleared first. */
export function abortAfter(clock: Clock, ms: number, reason: () => unknown): { signal: AbortSignal; clear(): void } {
  const over = new AbortController()
  return { signal: over.signal, clear: clock.after(ms, () => over.abort(reason())) }
}
