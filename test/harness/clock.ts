import type { Clock } from "../../src/platform/clock.ts"

/** Also where a test has the machine's timers in its hand. */
const { setTimeout: wait } = globalThis

/** A clock that stands still until a test moves it; a sleep ends when it is moved far enough. */
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
    // A sleep of 0 ms ends without a move of the clock.
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
    /** The ms until the first sleep ends; Infinity when nobody sleeps. */
    untilNext: () => Math.min(...sleepers.map(({ at }) => at)) - now,
    /** Resolves when this many sleeps (of exactly `forMs`, if given) are waiting. */
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
