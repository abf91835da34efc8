interface Limits {
  atOnce: number
  waiting: number
}

/**
 * How often waiting work checks again, and after which time waiting or running work counts as lost. In milliseconds.
 */
const LOOK_MS = 5
const GONE_MS = 5_000
const LOST_MS = 60_000

/**
 * Limits how many calls of an isolate run and how many wait, in order of arrival. It stores only plain values:
 * a request must not wait for another request's promise, and a request that is cut off does not clean up.
 */
export class Turnstile {
  private readonly limits: Limits
  /** When each call started, or last checked. */
  private readonly inside = new Map<symbol, number>()
  private readonly queue = new Map<symbol, number>()

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** The result of `work`. Rejects at once with the error of `full` if too many calls wait. */
  async pass<T>(work: () => Promise<T>, full: () => Error): Promise<T> {
    const me = Symbol("work")
    if (!this.mayEnter(me)) await this.wait(me, full)
    this.inside.set(me, Date.now())
    try {
      return await work()
    } finally {
      this.inside.delete(me)
    }
  }

  private async wait(me: symbol, full: () => Error): Promise<void> {
    if (this.queue.size >= this.limits.waiting) throw full()
    try {
      do {
        this.queue.set(me, Date.now())
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      } while (!this.mayEnter(me))
    } finally {
      this.queue.delete(me)
    }
  }

  private mayEnter(me: symbol): boolean {
    const now = Date.now()
    for (const [one, at] of this.inside) if (now - at > LOST_MS) this.inside.delete(one)
    for (const [one, at] of this.queue) if (one !== me && now - at > GONE_MS) this.queue.delete(one)
    const before = [...this.queue.keys()]
    const ahead = before.indexOf(me)
    return this.inside.size + (ahead < 0 ? before.length : ahead) < this.limits.atOnce
  }
}
