import { TurnpikeError } from "../base/errors.ts"
import type { Clock } from "../platform/clock.ts"
import { LOOK_POLICY } from "./policies.ts"

/**
 * When each wait of a caller in this isolate was last seen, in ms. A wait that is cut off does not leave; it expires.
 */
const waits = new Map<string, Map<symbol, number>>()

/** One long poll or event stream of a key, a session, or the browsers that watch a turn. */
export class Waiter {
  private readonly clock: Clock
  private readonly owner: string
  private readonly me = Symbol("wait")
  /** True for the first waits of a caller, which look often at the beginning. */
  readonly eager: boolean

  /** `owner`: whose waits are counted together. Throws QUOTA_EXCEEDED if it has too many open waits. */
  constructor(clock: Clock, owner: string) {
    this.clock = clock
    this.owner = owner
    const others = this.others()
    if (others >= LOOK_POLICY.perCaller) throw tooMany()
    this.eager = others < LOOK_POLICY.eagerPerCaller
    this.stay()
  }

  /** Marks the wait as open. Without a new mark it expires after `goneMs`. */
  stay(): void {
    const own = waits.get(this.owner) ?? new Map<symbol, number>()
    waits.set(this.owner, own.set(this.me, this.clock.now().getTime()))
  }

  leave(): void {
    const own = waits.get(this.owner)
    own?.delete(this.me)
    if (own?.size === 0) waits.delete(this.owner)
  }

  private others(): number {
    const own = waits.get(this.owner)
    if (!own) return 0
    const before = this.clock.now().getTime() - LOOK_POLICY.goneMs
    if (own.size >= LOOK_POLICY.eagerPerCaller) for (const [one, at] of own) if (at < before) own.delete(one)
    return own.size
  }
}

function tooMany(): TurnpikeError {
  const { perCaller: limit, retryAfterSeconds: retryAfter } = LOOK_POLICY
  const message = `${limit} long polls and event streams are open already: end some, or register a webhook instead.`
  return new TurnpikeError("QUOTA_EXCEEDED", message, { retryAfter, details: { cap: "open_waits", limit } })
}
