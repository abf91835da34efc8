import type { Clock } from "./clock.ts"
import type { Redis } from "./redis.ts"

/** When the cron asks the database nothing (docs/architecture/sleep.md). Times are in milliseconds. */
export const SLEEP_POLICY = {
  /** The service falls asleep only after this time without a mark. A request commits well within it. */
  quietMs: 120_000,
  /** An isolate marks at most this often. A request that took longer marks again at its end. */
  markEveryMs: 30_000,
  /** The longest sleep. It bounds the delay of work whose mark was lost. */
  longestMs: 2 * 3_600_000,
  /** A shorter sleep saves nothing: the database suspends after five minutes without a statement. */
  shortestMs: 600_000,
  /** Redis forgets the state of a cron that has not run for this long. */
  keptMs: 86_400_000,
} as const

/** What Redis knows about the cron. Times are in Unix milliseconds; null: unknown, or it does not apply. */
export interface CronRuns {
  /** When the cron last ran, asleep or awake. */
  ranAt: number | null
  /** Since when it has been awake. */
  wokenAt: number | null
  asleep: { since: number; until: number } | null
}

const KEY = "cron"

/** Notes a run. Returns 1 and 0 if the cron sleeps, else 0 and the last mark. ARGV: now, longest sleep, lifetime. */
const TICK = `
local now = tonumber(ARGV[1])
redis.call('HSET', KEYS[1], 'ran', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
local sleeps = tonumber(redis.call('HGET', KEYS[1], 'until'))
if sleeps and sleeps > now and sleeps <= now + tonumber(ARGV[2]) then return {'1', '0'} end
redis.call('HDEL', KEYS[1], 'since', 'until')
redis.call('HSETNX', KEYS[1], 'woken', ARGV[1])
return {'0', redis.call('HGET', KEYS[1], 'marked') or '0'}`

/** Notes a change and ends the sleep. Returns 1 if it was one. ARGV: now, lifetime. */
const MARK = `
redis.call('HSET', KEYS[1], 'marked', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('HDEL', KEYS[1], 'since', 'until')`

/** Begins a sleep, unless a mark is newer than the look minus the quiet time. ARGV: the look, quiet time, end. */
const SLEEP = `
local marked = tonumber(redis.call('HGET', KEYS[1], 'marked'))
if marked and marked + tonumber(ARGV[2]) > tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'since', ARGV[1], 'until', ARGV[3])
redis.call('HDEL', KEYS[1], 'woken')
return 1`

const READ = `return redis.call('HMGET', KEYS[1], 'ran', 'woken', 'since', 'until')`

/** Whether the cron sleeps, in Redis. All methods throw UNAVAILABLE if Redis does not answer. */
export class CronState {
  readonly #redis: () => Redis
  readonly #clock: Clock
  readonly #marked: { at: number }

  /** `marked`: when this isolate last marked, shared by its invocations. */
  constructor(redis: () => Redis, clock: Clock, marked: { at: number }) {
    this.#redis = redis
    this.#clock = clock
    this.#marked = marked
  }

  #now = () => this.#clock.now().getTime()

  /** Notes that the cron runs. `isQuiet`: the service may fall asleep if nothing is due. */
  async tick(): Promise<{ isAsleep: boolean; isQuiet: boolean }> {
    const now = this.#now()
    const { longestMs, keptMs, quietMs } = SLEEP_POLICY
    const [asleep, marked] = await this.#redis().run<[string, string]>(TICK, [KEY], [now, longestMs, keptMs])
    return { isAsleep: asleep === "1", isQuiet: Number(marked) + quietMs <= now }
  }

  /** Marks that something may have changed, at most once in `markEveryMs` unless `always`. */
  async mark({ always = false } = {}): Promise<void> {
    const now = this.#now()
    if (!always && Math.abs(now - this.#marked.at) < SLEEP_POLICY.markEveryMs) return
    const was = this.#marked.at
    this.#marked.at = now
    try {
      await this.#redis().run(MARK, [KEY], [now, SLEEP_POLICY.keptMs])
    } catch (error) {
      // The isolate's next request tries again.
      this.#marked.at = was
      throw error
    }
  }

  /** Falls asleep until `until`, after a look at the database that began at `looked`. False: a change came in between. */
  async sleep({ looked, until }: { looked: Date; until: Date }): Promise<boolean> {
    const args = [looked.getTime(), SLEEP_POLICY.quietMs, until.getTime()]
    return (await this.#redis().run<number>(SLEEP, [KEY], args)) === 1
  }

  async read(): Promise<CronRuns> {
    const values = await this.#redis().run<(string | null)[]>(READ, [KEY], [])
    const [ranAt = null, wokenAt = null, since = null, until = null] = values.map((ms) =>
      ms === null ? null : Number(ms),
    )
    const isAsleep = since !== null && until !== null && until > this.#now()
    return { ranAt, wokenAt, asleep: isAsleep ? { since, until } : null }
  }
}
