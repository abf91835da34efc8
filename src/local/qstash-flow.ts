import { QstashRefusal } from "./qstash-errors.ts"
import type { FlowControl } from "./qstash-headers.ts"
import type { Message } from "./qstash-message.ts"

interface FlowKey {
  name: string
  parallelism: number | undefined
  rate: number | undefined
  periodMs: number
  isParallelismPinned: boolean
  isRatePinned: boolean
  isPaused: boolean
  active: number
  rateCount: number
  periodStart: number
  waiting: Set<Message>
}

interface Pin {
  parallelism: number | undefined
  rate: number | undefined
  periodMs: number
}

/** Above this, keys with nothing to do are forgotten: callers may make one per customer. */
const MAX_IDLE_KEYS = 10_000

/** Parallelism and rate per flow-control key, each with its own waiting list in order of arrival. */
export class FlowKeys {
  private readonly keys = new Map<string, FlowKey>()
  /** Keys whose waiting list may move now. */
  private readonly wakeable = new Set<FlowKey>()
  /** Keys whose waiting list moves when their period ends. */
  private readonly rateLimited = new Set<FlowKey>()

  /** Takes over the limits that an incoming message carries, unless they are pinned. */
  configure({ key, parallelism, rate, periodMs }: FlowControl): void {
    const state = this.ensure(key)
    if (!state.isParallelismPinned) state.parallelism = parallelism
    if (!state.isRatePinned) Object.assign(state, { rate, periodMs })
    this.wake(state)
  }

  /** Counts the message in, or puts it on the waiting list and says false. */
  tryStart(message: Message, now: number): boolean {
    const state = this.of(message)
    if (!state) return true
    if (state.waiting.size === 0 && this.start(state, now)) return true
    state.waiting.add(message)
    if (!this.hasRate(state, now)) this.rateLimited.add(state)
    return false
  }

  finish(message: Message): void {
    const state = this.of(message)
    if (!state) return
    state.active--
    this.wake(state)
  }

  forget(message: Message): void {
    this.of(message)?.waiting.delete(message)
  }

  /** Starts waiting messages as far as their keys and `hasRoom` allow. */
  *drain(now: number, hasRoom: () => boolean): Generator<Message> {
    for (const state of [...this.wakeable, ...this.rateLimited]) {
      while (hasRoom()) {
        const [message] = state.waiting
        if (!message || !this.start(state, now)) break
        state.waiting.delete(message)
        yield message
      }
      if (!hasRoom()) return
      this.wakeable.delete(state)
      if (state.waiting.size > 0 && !state.isPaused && !this.hasRate(state, now)) this.rateLimited.add(state)
      else this.rateLimited.delete(state)
    }
  }

  nextWakeMs(): number {
    if (this.wakeable.size > 0) return 0
    let next = Number.POSITIVE_INFINITY
    for (const state of this.rateLimited) next = Math.min(next, state.periodStart + state.periodMs)
    return next
  }

  setPaused(name: string, isPaused: boolean): void {
    const state = this.ensure(name)
    state.isPaused = isPaused
    this.wake(state)
  }

  pin(name: string, { parallelism, rate, periodMs }: Pin): void {
    const state = this.ensure(name)
    if (parallelism !== undefined) Object.assign(state, { parallelism, isParallelismPinned: true })
    if (rate !== undefined) Object.assign(state, { rate, periodMs, isRatePinned: true })
    this.resetRate(name)
  }

  unpin(name: string, which: { parallelism: boolean; rate: boolean }): void {
    const state = this.ensure(name)
    if (which.parallelism) state.isParallelismPinned = false
    if (which.rate) state.isRatePinned = false
  }

  resetRate(name: string): void {
    const state = this.ensure(name)
    state.rateCount = 0
    state.periodStart = Number.NEGATIVE_INFINITY
    this.wake(state)
  }

  list(): Record<string, unknown>[] {
    return [...this.keys.values()].map(serializeFlowKey)
  }

  get(name: string): Record<string, unknown> {
    const state = this.keys.get(name)
    if (!state) throw new QstashRefusal(404, `flow control key ${name} not found`)
    return serializeFlowKey(state)
  }

  private of(message: Message): FlowKey | undefined {
    const flow = message.options.flowControl
    return flow && this.ensure(flow.key)
  }

  private start(state: FlowKey, now: number): boolean {
    if (state.isPaused) return false
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
    if (state.waiting.size > 0 && !state.isPaused) this.wakeable.add(state)
  }

  private ensure(name: string): FlowKey {
    const known = this.keys.get(name)
    if (known) return known
    if (this.keys.size >= MAX_IDLE_KEYS) this.forgetIdle()
    const state: FlowKey = {
      name,
      parallelism: undefined,
      rate: undefined,
      periodMs: 1000,
      isParallelismPinned: false,
      isRatePinned: false,
      isPaused: false,
      active: 0,
      rateCount: 0,
      periodStart: Number.NEGATIVE_INFINITY,
      waiting: new Set(),
    }
    this.keys.set(name, state)
    return state
  }

  private forgetIdle(): void {
    for (const [name, state] of this.keys) {
      const isHeld = state.isPaused || state.isParallelismPinned || state.isRatePinned
      if (!isHeld && state.active === 0 && state.waiting.size === 0) this.keys.delete(name)
    }
  }
}

function serializeFlowKey(state: FlowKey): Record<string, unknown> {
  return {
    flowControlKey: state.name,
    waitListSize: state.waiting.size,
    parallelismMax: state.parallelism ?? 0,
    parallelismCount: state.active,
    rateMax: state.rate ?? 0,
    rateCount: state.rateCount,
    ratePeriod: state.rate === undefined ? 0 : state.periodMs / 1000,
    ratePeriodStart: Number.isFinite(state.periodStart) ? Math.floor(state.periodStart / 1000) : 0,
    isPaused: state.isPaused,
    isPinnedParallelism: state.isParallelismPinned,
    isPinnedRate: state.isRatePinned,
  }
}
