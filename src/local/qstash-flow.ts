import type { FlowControl } from "./qstash-headers.ts"
import type { QstashMessage } from "./qstash-message.ts"

interface FlowKey extends FlowControl {
  active: number
  /** In order of arrival. */
  waiting: QstashMessage[]
}

/** Above this, keys with nothing to do are forgotten: callers may make one per customer. */
const MAX_IDLE_KEYS = 10_000

/** Messages without a key share one that has no limit. */
const NO_KEY: FlowControl = { key: "", parallelism: Number.POSITIVE_INFINITY }

/**
 * Parallelism per flow-control key, each with its own waiting list in order of arrival. Keys take turns: QStash does not say who goes
 * first where all of them together are at its limit.
 */
export class FlowKeys {
  private readonly keys = new Map<string, FlowKey>()
  /** Keys whose waiting list may move now. */
  private readonly wakeable = new Set<FlowKey>()

  /** Takes over the limit that an incoming message carries. */
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
  *drain(hasRoom: () => boolean): Generator<QstashMessage> {
    for (const state of this.wakeable) {
      if (!hasRoom()) return
      this.wakeable.delete(state)
      if (state.active >= state.parallelism) continue
      const next = state.waiting.shift()
      if (!next) continue
      state.active++
      // After the others, now and in the next call.
      this.wakeable.add(state)
      yield next
    }
  }

  /** Whether a waiting message may have become free to start. */
  get hasWakeable(): boolean {
    return this.wakeable.size > 0
  }

  private of({ options: { flowControl } }: QstashMessage): FlowKey {
    return this.ensure(flowControl ?? NO_KEY)
  }

  private wake(state: FlowKey): void {
    if (state.waiting.length > 0) this.wakeable.add(state)
  }

  private ensure(limits: FlowControl): FlowKey {
    const known = this.keys.get(limits.key)
    if (known) return known
    if (this.keys.size >= MAX_IDLE_KEYS) this.forgetIdle()
    const state = { ...limits, active: 0, waiting: [] }
    this.keys.set(limits.key, state)
    return state
  }

  private forgetIdle(): void {
    for (const [name, state] of this.keys) {
      if (state.active === 0 && state.waiting.length === 0) this.keys.delete(name)
    }
  }
}
