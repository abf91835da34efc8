import type { FlowControl } from "./qstash-headers.ts"
import type { QstashMessage } from "./qstash-message.ts"

interface FlowKey extends FlowControl {
  active: number
  /** In order of arrival. */
  waiting: QstashMessage[]
  /** The number of the message that it was served last, over all keys; 0: none yet. */
  served: number
}

/** Above this, keys with nothing to do are forgotten: callers may make one per customer. */
const MAX_IDLE_KEYS = 10_000

/** Messages without a key share one that has no limit. */
const NO_KEY: FlowControl = { key: "", parallelism: Number.POSITIVE_INFINITY }

/**
 * Parallelism per flow-control key. QStash documents no order of messages that wait, so this is the worst for us: the newest of a key goes
 * first, and the key that was served last.
 */
export class FlowKeys {
  private readonly keys = new Map<string, FlowKey>()
  /** Keys whose waiting list may move now. */
  private readonly wakeable = new Set<FlowKey>()
  private served = 0

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

  /** Starts waiting messages as far as their keys and `hasRoom` allow. */
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

  /** Whether a waiting message may have become free to start. */
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
