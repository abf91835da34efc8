/** Where time comes from. A test holds it still; nothing else reads the machine's clock. */
export interface Clock {
  now(): Date
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `act` after `ms` milliseconds, unless what it returns is called before. */
  after(ms: number, act: () => void): () => void
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
}

/** How many seconds a clock is ahead of the machine's, for a library that reads the whole seconds of that one. */
export const secondsAhead = (clock: Clock): number => clock.now().getTime() / 1000 - Math.floor(Date.now() / 1000)

/** Where chance comes from that a test may want to hold: a number from 0 to below 1. */
export const systemRandom = (): number => Math.random()

/** A signal that is aborted with what `reason` makes after `ms`, unless it is cleared before. */
export function abortAfter(clock: Clock, ms: number, reason: () => unknown): { signal: AbortSignal; clear(): void } {
  const over = new AbortController()
  return { signal: over.signal, clear: clock.after(ms, () => over.abort(reason())) }
}
