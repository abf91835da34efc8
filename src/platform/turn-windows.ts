import { Ratelimit } from "@upstash/ratelimit"
import type { Redis as Upstash } from "@upstash/redis/cloudflare"
import type { Clock } from "./clock.ts"
import { systemClock } from "./clock.ts"
import { describeError, type Log } from "./log.ts"
import type { Redis } from "./redis.ts"

/** A limit within a sliding window. */
export interface Limited {
  /** The name of its counter in Redis. */
  counter: string
  limit: number
  /** How much one request adds. */
  add: number
}

/** A window after a request was counted, or refused. */
export interface Counted extends Limited {
  isAllowed: boolean
  /** How much it has added. */
  added: number
  left: number
  /** The fixed part of the window that counts the request. */
  bucket: number
  /** In milliseconds: when the next request is allowed, or when the current part ends. */
  waitMs: number
}

/** A limit as an answer shows it (docs/architecture/rates.md). */
export interface ShownRate {
  name: string
  limit: number
  /** Null: not known. */
  left: number | null
  /** Null: a limit of concurrent turns. */
  windowSeconds: number | null
  unit: string | null
  /** Whole seconds. Null: not known. */
  resetSeconds: number | null
}

const WINDOW_MS = 60_000

/** How long Redis keeps a part of a window: as long as the library does. */
const KEPT_MS = 2 * WINDOW_MS + 1000

/** How long a request waits for Redis, and how long an isolate does not ask one that was slow. In milliseconds. */
const PATIENCE = { ms: 250, restMs: 1_000 } as const

/**
 * Counters of requests and tokens in Redis, each in a sliding window of a minute. The window is the library's: the
 * current fixed minute, and the part of the minute before it that is still within 60 seconds. It reads the machine's
 * clock, so this does, too. Throws if Redis does not answer.
 */
export class TurnWindows {
  /** The limits that this request's answer shows. */
  shown: ShownRate[] = []
  private readonly redis: () => Redis
  private readonly rest: { until: number }
  private readonly ctx: { clock: Clock; log: Log; background(work: Promise<unknown>): void }

  constructor(
    redis: () => Redis,
    rest: { until: number },
    ctx: { clock: Clock; log: Log; background(work: Promise<unknown>): void },
  ) {
    this.redis = redis
    this.rest = rest
    this.ctx = ctx
  }

  /**
   * Counts a request in all these windows, with one pipelined command. If one window refuses it, it counts in none.
   */
  async take(windows: readonly Limited[]): Promise<Counted[]> {
    if (windows.length === 0) return []
    if (this.rest.until > this.ctx.clock.now().getTime()) throw new Error("Redis is slow")
    const now = systemClock.now().getTime()
    const taken = this.redis().together((client) => windows.map((window) => takeOne(client, window, now)))
    // A command that is late has perhaps counted.
    this.ctx.background(taken.catch(() => {}))
    const counted = await this.inTime(taken)
    if (counted.some(({ isAllowed }) => !isAllowed)) void this.giveBack(counted)
    return counted
  }

  /** Takes a request back, in the background. Resolves when that is done. */
  giveBack(counted: readonly Counted[]): Promise<void> {
    return this.correct(counted.map(({ counter, bucket, added }) => ({ counter, bucket, add: -added })))
  }

  /** Adds to windows in the background, whether or not they are full. A minute that no window has any more is left. */
  async correct(changes: readonly { counter: string; bucket: number; add: number }[]): Promise<void> {
    const oldest = Math.floor(systemClock.now().getTime() / WINDOW_MS) - 1
    const counting = changes.filter(({ bucket, add }) => bucket >= oldest && add !== 0)
    if (counting.length === 0) return
    const changed = this.redis().together((client) =>
      counting.flatMap(({ counter, bucket, add }) => {
        const [key = ""] = partsOf(counter, bucket)
        return [client.incrby(key, add), client.pexpire(key, KEPT_MS)]
      }),
    )
    const done = changed.then(
      () => {},
      (error: unknown) => this.ctx.log("error", "rates.not_corrected", { error: describeError(error) }),
    )
    this.ctx.background(done)
    await done
  }

  /** How much of each window is used, in one command. */
  async used(counters: readonly string[]): Promise<number[]> {
    if (counters.length === 0) return []
    const now = systemClock.now().getTime()
    const bucket = Math.floor(now / WINDOW_MS)
    const counts = await this.inTime(this.redis().getAll(counters.flatMap((counter) => partsOf(counter, bucket))))
    return counters.map((_, nth) => {
      const [current = 0, previous = 0] = counts.slice(2 * nth, 2 * nth + 2).map(Number)
      return Math.max(0, current + weighted(previous, now % WINDOW_MS))
    })
  }

  /** When the current part of each window ends, in whole seconds. */
  get resetSeconds(): number {
    return Math.ceil((WINDOW_MS - (systemClock.now().getTime() % WINDOW_MS)) / 1000)
  }

  private inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = this.ctx.clock.after(PATIENCE.ms, () => {
        this.rest.until = this.ctx.clock.now().getTime() + PATIENCE.restMs
        reject(new Error("Redis is slow"))
      })
      work.then(resolve, reject).finally(stop)
    })
  }
}

const PREFIX = "rate"

/**
 * Counts one request. The library decides about the first unit: for more, it refuses a request that it has counted. The
 * script adds the rest, and returns the counts, which the library does not tell.
 */
async function takeOne(client: Upstash, window: Limited, now: number): Promise<Counted> {
  const { counter, limit, add } = window
  const bucket = Math.floor(now / WINDOW_MS)
  const sinceStart = now % WINDOW_MS
  const addRest = (rest: number) =>
    client.eval<number[], [number, number, number]>(ADD_REST, partsOf(counter, bucket), [
      rest,
      limit,
      sinceStart / WINDOW_MS,
      KEPT_MS,
    ])
  const [{ success: isAllowed, remaining }, first] = await Promise.all([
    slidingWindow(client, limit).limit(counter),
    addRest(add - 1),
  ])
  const [current, previous, rest] = first
  const used = current + weighted(previous, sinceStart)
  const counted = {
    ...window,
    bucket,
    isAllowed,
    added: rest + (isAllowed ? 1 : 0),
    left: add > 1 ? Math.max(0, limit - used) : remaining,
  }
  if (isAllowed) return { ...counted, waitMs: WINDOW_MS - sinceStart }
  // A Redis that has restarted gets the library's script first, in a second command.
  const [after, before] = used - rest >= limit ? first : await addRest(0)
  return { ...counted, waitMs: waitOf({ now, limit, current: after - rest, previous: before }) }
}

/** Adds to the current minute if the window had room, and returns the counts of both minutes and what was added. */
const ADD_REST = `
local current, previous = tonumber(redis.call("GET", KEYS[1]) or 0), tonumber(redis.call("GET", KEYS[2]) or 0)
local rest = tonumber(ARGV[1])
if rest == 0 or current + math.floor((1 - ARGV[3]) * previous) > tonumber(ARGV[2]) then
  return {current, previous, 0}
end
current = redis.call("INCRBY", KEYS[1], rest)
redis.call("PEXPIRE", KEYS[1], ARGV[4])
return {current, previous, rest}`

const slidingWindow = (redis: Upstash, limit: number) =>
  new Ratelimit({
    redis,
    prefix: PREFIX,
    limiter: Ratelimit.slidingWindow(limit, `${WINDOW_MS} ms`),
    ephemeralCache: false,
    timeout: 0,
    enableTelemetry: false,
  })

/** The keys of the current and the previous minute, as the library names them. */
const partsOf = (counter: string, bucket: number) => [
  [PREFIX, counter, bucket].join(":"),
  [PREFIX, counter, bucket - 1].join(":"),
]

/** The part of the previous minute's count that is within 60 seconds, as the library computes it. */
const weighted = (previous: number, sinceStart: number) => Math.floor((1 - sinceStart / WINDOW_MS) * previous)

/**
 * In how many milliseconds the window has room. The library itself only says when the current minute ends, but the
 * counts of that minute weigh on the next one.
 */
export function waitOf(asked: { now: number; limit: number; current: number; previous: number }): number {
  const { now, limit, current, previous } = asked
  const sinceStart = now % WINDOW_MS
  if (current < limit) {
    return Math.max(1, firstBelow(previous, limit - current) - sinceStart)
  }
  return WINDOW_MS - sinceStart + firstBelow(current, limit)
}

/** The first millisecond of a minute in which the weighted count of the one before is below `room`. */
function firstBelow(previous: number, room: number): number {
  if (previous < room) return 0
  let at = Math.floor(WINDOW_MS * (1 - room / previous))
  while (at < WINDOW_MS && weighted(previous, at) >= room) at++
  return at
}
