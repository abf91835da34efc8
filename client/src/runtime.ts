/** The client's time and randomness, which tests replace. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number
  /** At least 0, below 1. */
  random(): number
  /** Calls `done` after `ms` milliseconds, unless the returned function is called first. */
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

/** Waits; rejects with the signal's reason as soon as it is aborted. */
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
