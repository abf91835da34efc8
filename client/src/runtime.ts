/** The client's source of time and randomness. Tests replace it. */
export interface Runtime {
  /** The current time in milliseconds since 1970. */
  now(): number
  /** A random number, at least 0 and below 1. */
  random(): number
  /** Calls `done` after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, done: () => void): () => void
}

export const systemRuntime: Runtime = {
  now: () => Date.now(),
  random: () => Math.random(),
  after(ms, done) {
    const timer = setTimeout(done, ms)
    return () => clearTimeout(timer)
  },
}

/** Waits. Rejects with the signal's reason as soon as the signal is aborted. */
export function sleep(runtime: Runtime, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const aborted = () => {
      takeBack()
      reject(signal?.reason)
    }
    const takeBack = runtime.after(ms, () => {
      signal?.removeEventListener("abort", aborted)
      resolve()
    })
    signal?.addEventListener("abort", aborted, { once: true })
  })
}
