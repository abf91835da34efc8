import type { Clock } from "../../src/platform/clock.ts"

/** The original function, because a test may fake the global timers. */
const { setTimeout: wait } = globalThis

/** A clock that changes only when a test moves it. A sleep ends when the clock reaches its end. */
export function createTestClock(startMs = Date.UTC(2026, 10, 20, 12)): Clock & {
  ms(): number
  advance(ms: number): void
  untilNext(): number
  sleeping(count: number, forMs?: number): Promise<void>
} {
  let now = startMs
  let sleepers: { at: number; ms: number; wake: () => void }[] = []
  let watchers: { count: number; forMs: number | undefined; notify: () => void }[] = []
  const enough = ({ count, forMs }: { count: number; forMs?: number | undefined }) =>
    sleepers.filter(({ ms }) => forMs === undefined || ms === forMs).length >= count

  function after(ms: number, wake: () => void): () => void {
    // A sleep of 0 ms ends at once.
    if (ms <= 0) {
      wake()
      return () => {}
    }
    const sleeper = { at: now + ms, ms, wake }
    sleepers.push(sleeper)
    const told = watchers.filter(enough)
    watchers = watchers.filter((watcher) => !told.includes(watcher))
    for (const watcher of told) watcher.notify()
    return () => {
      sleepers = sleepers.filter((other) => other !== sleeper)
    }
  }

  return {
    now: () => new Date(now),
    ms: () => now,
    /** Milliseconds until the first sleep ends; Infinity if no sleep is pending. */
    untilNext: () => Math.min(...sleepers.map(({ at }) => at)) - now,
    /** Resolves once this many sleeps (each of exactly `forMs`, if given) are pending. */
    sleeping: (count, forMs) =>
      new Promise((notify) => {
        if (enough({ count, forMs })) notify()
        else watchers.push({ count, forMs, notify })
      }),
    advance(ms) {
      now += ms
      const due = sleepers.filter((sleeper) => sleeper.at <= now)
      sleepers = sleepers.filter((sleeper) => sleeper.at > now)
      for (const sleeper of due) sleeper.wake()
    },
    after,
    pause: () => new Promise((resolve) => wait(resolve, 0)),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const stop = after(ms, resolve)
        signal?.addEventListener("abort", () => {
          stop()
          reject(signal.reason)
        })
      }),
  }
}
