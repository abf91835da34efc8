interface Limits {
  /** How many calls run at once. */
  atOnce: number
  /** How many more may wait. */
  waiting: number
  /** How long a call may wait, in ms. */
  longestMs?: number
  /** A call that runs longer gives its place back, in ms: it may have been cut off. By default a minute. */
  placeMs?: number
}

interface Running {
  /** When it started, in ms. */
  at: number
  holder: string
}

/** How often waiting work checks again, at most and at least, and when it counts as lost. In milliseconds. */
const LOOK_MS = 5
const SELDOM_MS = 100
const GONE_MS = 5_000
const PLACE_MS = 60_000

/**
 * Limits how many calls of an isolate run and how many wait, in order of arrival. A holder with less than an equal
 * share of the places does not wait for one with more, so no holder can take all. It stores only plain values: a
 * request must not wait for another request's promise, and a request that is cut off does not clean up.
 */
export class Turnstile {
  private readonly limits: Limits
  private readonly inside = new Map<symbol, Running>()
  /** When each waiting call last checked, by its number. The first key is the first in the queue. */
  private readonly queue = new Map<number, number>()
  private last = 0

  constructor(limits: Limits) {
    this.limits = limits
  }

  /** The result of `work`. Rejects with the error of `full` if too many calls wait, or if it has waited too long. */
  async pass<T>(work: () => Promise<T>, full: () => Error, holder = ""): Promise<T> {
    if (!this.mayEnter(holder)) await this.wait(holder, full)
    const me = Symbol("work")
    this.inside.set(me, { at: Date.now(), holder })
    try {
      return await work()
    } finally {
      this.inside.delete(me)
    }
  }

  private async wait(holder: string, full: () => Error): Promise<void> {
    if (this.queue.size >= this.limits.waiting) throw full()
    const number = ++this.last
    const until = Date.now() + (this.limits.longestMs ?? Number.POSITIVE_INFINITY)
    try {
      do {
        if (Date.now() > until) throw full()
        this.queue.set(number, Date.now())
        await new Promise((resolve) => setTimeout(resolve, this.pauseOf(number)))
      } while (!this.mayEnter(holder, number))
    } finally {
      this.queue.delete(number)
    }
  }

  /** Calls with many others before them check less often. */
  private pauseOf(number: number): number {
    const [first = number] = this.queue.keys()
    return Math.min(SELDOM_MS, LOOK_MS + (number - first) / 4)
  }

  /** `number`: of a waiting call. */
  private mayEnter(holder: string, number = Number.POSITIVE_INFINITY): boolean {
    if (this.inside.size >= this.limits.atOnce) this.forgetLost()
    const free = this.limits.atOnce - this.inside.size
    return this.isAmongFirst(number, free) || (holder !== "" && this.hasShare(holder))
  }

  private isAmongFirst(number: number, places: number): boolean {
    let ahead = 0
    const now = Date.now()
    for (const [one, at] of this.queue) {
      if (one === number || ahead >= places) break
      if (now - at > GONE_MS) this.queue.delete(one)
      else ahead++
    }
    return ahead < places
  }

  /** True if the holder has less than an equal share, or nothing while another has half of the places. */
  private hasShare(holder: string): boolean {
    const places = new Map([[holder, 0]])
    for (const one of this.inside.values()) places.set(one.holder, (places.get(one.holder) ?? 0) + 1)
    const own = places.get(holder) ?? 0
    const share = Math.floor(this.limits.atOnce / places.size)
    return own < share || (own === 0 && Math.max(...places.values()) >= Math.max(2, this.limits.atOnce / 2))
  }

  private forgetLost(): void {
    const now = Date.now()
    const { placeMs = PLACE_MS } = this.limits
    for (const [one, { at }] of this.inside) if (now - at > placeMs) this.inside.delete(one)
  }
}
