import type { FlowControl } from "./qstash-headers.ts"
import type { QstashMessage } from "./qstash-message.ts"

interface FlowKey extends FlowControl {
  active: number
  /** In order of arrival. */
  waiting: QstashMessage[]
  /** When the key was last served, as a counter over all keys; 0 if never. */
  served: number
}

/** Above this number, idle keys are deleted, because callers can create one per end user. */
const MAX_IDLE_KEYS = 10_000

/** Messages without a key share this one, which has no limit. */
const NO_KEY: FlowControl = { key: "", parallelism: Number.POSITIVE_INFINITY }

/**
 * Limits the parallelism of each flow-control key. QStash documents no order of waiting messages, so this uses the
 * worst order for us: the key that was served last comes first, and its newest message.
 */
export class FlowKeys {
  private readonly keys = new Map<string, FlowKey>()
  /** The keys that may be able to start a waiting message. */
  private readonly wakeable = new Set<FlowKey>()
  private served = 0

  /** Sets a key's limit to the one of an incoming message. */
  configure(limits: FlowControl): void {
    this.wake(Object.assign(this.ensure(limits), limits))
  }

  /** Adds a due message to the waiting list of its key. */
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

  /** Yields the waiting messages that their keys and `hasRoom` allow to start. */
  *drain(hasRoom: () => boolean): Generator<QstashMessage> {
    while (hasRoom()) {
      const state = this.servedLast()
      if (!state) return
      const next = state.active < state.parallelism ? state.waiting.pop() : undefined
      if (next) {
        state.active++
        state.served = ++this.served
        yield next
      } else {
        this.wakeable.delete(state)
      }
    }
  }

  /** True if a waiting message may be able to start. */
  get hasWakeable(): boolean {
    return this.wakeable.size > 0
  }

  private of({ options: { flowControl } }: QstashMessage): FlowKey {
    return this.ensure(flowControl ?? NO_KEY)
  }

  private servedLast(): FlowKey | undefined {
    let last: FlowKey | undefined
    for (const state of this.wakeable) if (!last || state.served > last.served) last = state
    return last
  }

  private wake(state: FlowKey): void {
    if (state.waiting.length > 0) this.wakeable.add(state)
  }

  private ensure(limits: FlowControl): FlowKey {
    const known = this.keys.get(limits.key)
    if (known) return known
    if (this.keys.size >= MAX_IDLE_KEYS) this.forgetIdle()
    const state = { ...limits, active: 0, waiting: [], served: 0 }
    this.keys.set(limits.key, state)
    return state
  }

  private forgetIdle(): void {
    for (const [name, state] of this.keys) {
      if (state.active === 0 && state.waiting.length === 0) this.keys.delete(name)
    }
  }
}
