import { type FlowControl, QstashRefusal } from "./qstash-headers.ts"
import type { QstashMessage } from "./qstash-message.ts"

interface FlowKey extends FlowControl {
  active: number
  rateCount: number
  periodStart: number
  /** In order of arrival. */
  waiting: QstashMessage[]
}

/** Above this, keys with nothing to do are forgotten: callers may make one per customer. */
const MAX_IDLE_KEYS = 10_000

/** Messages without a key share one that has no limits. */
const NO_KEY: FlowControl = { key: "", parallelism: undefined, rate: undefined, periodMs: 1000 }

/**
 * Parallelism and rate per flow-control key, each with its own waiting list in order of arrival. Keys take turns: QStash does not say who
 * goes first where all of them together are at its limit.
 */
export class FlowKeys {
  private readonly keys = new Map<string, FlowKey>()
  /** Keys whose waiting list may move now. */
  private readonly wakeable = new Set<FlowKey>()
  /** Keys whose waiting list moves when their period ends. */
  private readonly rateLimited = new Set<FlowKey>()

  /** Takes over the limits that an incoming message carries. */
  configure(limits: FlowControl): void {
    this.wake(Object.assign(this.ensure(limits), limits))
  }

  /** Puts a message whose time has come on its key's waiting list. */
  add(message: QstashMessage): void {
    const state = this.of(message)
    state.waiting.push(message)
    this.wake(state)
  }

  finish(message: QstashMessage): void {
    const state = this.of(message)
    state.active--
    this.wake(state)
  }

  /** Starts waiting messages as far as their keys and `hasRoom` allow, one of each key after the other. */
  *drain(now: number, hasRoom: () => boolean): Generator<QstashMessage> {
    const moving = new Set([...this.wakeable, ...this.rateLimited])
    for (const state of moving) {
      if (!hasRoom()) return
      moving.delete(state)
      this.wakeable.delete(state)
      if (state.waiting[0] && this.start(state, now)) {
        // Behind the others, now and in the next call.
        moving.add(state)
        this.wakeable.add(state)
        yield state.waiting.shift() as QstashMessage
        continue
      }
      if (state.waiting.length > 0 && !this.hasRate(state, now)) this.rateLimited.add(state)
      else this.rateLimited.delete(state)
    }
  }

  nextWakeMs(): number {
    if (this.wakeable.size > 0) return 0
    let next = Number.POSITIVE_INFINITY
    for (const state of this.rateLimited) next = Math.min(next, state.periodStart + state.periodMs)
    return next
  }

  get(name: string): Record<string, unknown> {
    const state = this.keys.get(name)
    if (!state) throw new QstashRefusal(404, `flow control key ${name} not found`)
    return {
      flowControlKey: name,
      waitListSize: state.waiting.length,
      parallelismMax: state.parallelism ?? 0,
      parallelismCount: state.active,
      rateMax: state.rate ?? 0,
      rateCount: state.rateCount,
      ratePeriod: state.rate === undefined ? 0 : state.periodMs / 1000,
    }
  }

  private of({ options: { flowControl } }: QstashMessage): FlowKey {
    return this.ensure(flowControl ?? NO_KEY)
  }

  private start(state: FlowKey, now: number): boolean {
    if (state.parallelism !== undefined && state.active >= state.parallelism) return false
    if (!this.hasRate(state, now)) return false
    state.active++
    if (state.rate !== undefined) state.rateCount++
    return true
  }

  private hasRate(state: FlowKey, now: number): boolean {
    if (state.rate === undefined) return true
    if (now >= state.periodStart + state.periodMs || now < state.periodStart) {
      state.periodStart = now
      state.rateCount = 0
    }
    return state.rateCount < state.rate
  }

  private wake(state: FlowKey): void {
    if (state.waiting.length > 0) this.wakeable.add(state)
  }

  private ensure(limits: FlowControl): FlowKey {
    const known = this.keys.get(limits.key)
    if (known) return known
    if (this.keys.size >= MAX_IDLE_KEYS) this.forgetIdle()
    const state = { ...limits, active: 0, rateCount: 0, periodStart: Number.NEGATIVE_INFINITY, waiting: [] }
    this.keys.set(limits.key, state)
    return state
  }

  private forgetIdle(): void {
    for (const [name, state] of this.keys) {
      if (state.active === 0 && state.waiting.length === 0) this.keys.delete(name)
    }
  }
}
