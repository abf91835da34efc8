interface Limits {
  atOnce: number
  waiting: number
}

/** How often somebody who waits looks, when they count as gone without, and when somebody inside does. In milliseconds. */
const LOOK_MS = 5
const GONE_MS = 5_000
const LOST_MS = 60_000

/**
 * Lets so many works of an isolate run at a time and so many wait, in the order in which they came. It holds plain values only: no
 * request may wait for another one's promise, and one that is cut off takes nothing back.
 */
export class Turnstile {
  private readonly limits: Limits
  /** When each has begun, or has looked last. */
  private readonly inside = new Map<symbol, number>()
  private readonly queue = new Map<symbol, number>()

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** What `work` answers; rejects at once with what `full` makes when as many wait as may. */
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
