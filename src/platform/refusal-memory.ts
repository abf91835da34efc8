import type { Clock } from "./clock.ts"
import { describeError, type Log } from "./log.ts"
import type { Redis } from "./redis.ts"

/** How refusals are remembered (docs/architecture/edge.md). In milliseconds, except for `most`. */
export const REFUSAL_POLICY = {
  /** How long a refusal is remembered at most, from the start of the statement that refused. */
  keptMs: 5_000,
  /** How long an isolate asks Redis for a caller after it has seen a refusal. */
  askedMs: 10_000,
  /** How long a watch lives. Refusals that were stored under it end with it. */
  watchMs: 60_000,
  /** How long a request waits for Redis before it asks the database or answers. */
  patienceMs: 250,
  /** How long an isolate does not ask a Redis that failed or was slow. */
  restMs: 1_000,
  /** How often an isolate looks up Idempotency-Keys of a refused caller, and of how many requests together. */
  looks: { everyMs: 25, most: 500 },
  /** How many refused scopes an isolate remembers at most. */
  most: 10_000,
} as const

/** What an isolate knows of refused callers. Plain values: no request may await another one's promise. */
export interface RefusedCallers {
  /** The account of each scope that was refused lately, and until when this isolate asks Redis for it. */
  scopes: Map<string, { account: number; until: number }>
  /** Until when this isolate does not ask Redis. */
  restsUntil: number
}

/** A refusal as Redis has it. */
interface Stored {
  /** The watch of the account when the statement that refused was sent. The refusal counts while this is the watch. */
  watch: string
  /** In Unix milliseconds. */
  until: number
  text: string
}

/** The answer of Redis about a caller that was refused lately. */
export interface RefusalLook {
  /** The texts of the refusals that still count. */
  found: string[]
  /** The watch under which a refusal may be stored now; null: none. */
  watch: string | null
}

const NOTHING: RefusalLook = { found: [], watch: null }

/**
 * Refusals that workers remember in Redis. A refusal counts only while the account's watch is the one that existed
 * before its statement was sent. `free` deletes the watch, and with it all refusals of the account, also those that
 * are being stored at that moment. No method throws: without Redis, the database decides.
 */
export class RefusalMemory {
  private readonly redis: () => Redis
  private readonly callers: RefusedCallers
  private readonly ctx: { clock: Clock; log: Log; background(work: Promise<unknown>): void }

  constructor(
    redis: () => Redis,
    callers: RefusedCallers,
    ctx: { clock: Clock; log: Log; background(work: Promise<unknown>): void },
  ) {
    this.redis = redis
    this.callers = callers
    this.ctx = ctx
  }

  /** Looks for refusals in these scopes. Calls Redis only if this isolate has seen a refusal in one of them lately. */
  async ask(scopes: string[]): Promise<RefusalLook> {
    const now = this.now()
    const known = scopes.map((scope) => this.callers.scopes.get(scope)).find((one) => one && one.until > now)
    if (!known || this.callers.restsUntil > now) return NOTHING
    try {
      return await this.inTime(this.look(known.account, scopes))
    } catch {
      this.callers.restsUntil = now + REFUSAL_POLICY.restMs
      return NOTHING
    }
  }

  /** Notes in this isolate that a caller was refused, so that the next request asks Redis. */
  note(scope: string, account: number): void {
    const { scopes } = this.callers
    if (scopes.size >= REFUSAL_POLICY.most) scopes.clear()
    scopes.set(scope, { account, until: this.now() + REFUSAL_POLICY.askedMs })
  }

  /** Stores a refusal in the background. `until`: when it ends, in Unix milliseconds. */
  keep(scope: string, { watch, until, text }: { watch: string; until: number; text: string }): void {
    const ttlMs = until - this.now()
    if (ttlMs <= 0) return
    const stored: Stored = { watch, until, text }
    this.ctx.background(
      this.redis()
        .set(keyOf(scope), JSON.stringify(stored), { ttlMs })
        .catch(() => {}),
    )
  }

  /**
   * Removes all refusals of an account. Call it after the commit that may let one of its callers continue. If Redis is
   * slow, the command continues after the response.
   */
  async free(account: number): Promise<void> {
    const freed = this.redis()
      .drop(watchOf(account))
      .catch((error: unknown) => this.ctx.log("error", "refusals.not_freed", { error: describeError(error) }))
    this.ctx.background(freed)
    await this.inTime(freed).catch(() => {})
  }

  private async look(account: number, scopes: string[]): Promise<RefusalLook> {
    const [watch = null, ...texts] = await this.redis().getAll([watchOf(account), ...scopes.map(keyOf)])
    if (watch === null) {
      const made = crypto.randomUUID()
      const isStored = await this.redis().set(watchOf(account), made, { ttlMs: REFUSAL_POLICY.watchMs, onlyNew: true })
      return { found: [], watch: isStored ? made : null }
    }
    const now = this.now()
    const stored = texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as Stored]))
    const counting = stored.filter((one) => one.watch === watch && one.until > now)
    return { found: counting.map(({ text }) => text), watch }
  }

  /** The result of `work`. Rejects if it takes longer than a request waits for Redis; a later result is ignored. */
  private inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = this.ctx.clock.after(REFUSAL_POLICY.patienceMs, () => reject(new Error("Redis is slow")))
      work.then(resolve, reject).finally(stop)
    })
  }

  private now(): number {
    return this.ctx.clock.now().getTime()
  }
}

const watchOf = (account: number) => `refusals:${account}`
const keyOf = (scope: string) => `refusal:${scope}`
