import { NotSent } from "../base/not-sent.ts"

interface Waiting {
  holder: string
  go(): void
}

/** Additional options of a bound fetch. */
export interface BoundInit extends RequestInit {
  afterWait?: () => void
}

/** How many calls of one holder may wait for responses while other holders exist. */
const EACH = 2

/**
 * Limits the calls of an invocation that wait for the first byte of a response. Cloudflare allows
 * six such connections and holds back all others, also those to the database. Holders share the
 * places, so slow servers of one holder do not block the others.
 */
export class WaitingCalls {
  private readonly most: number
  private readonly waiting = new Set<Waiting>()
  private readonly active = new Map<string, number>()
  private readonly holders = new Map<string, number>()
  private total = 0
  /** The number of calls sent so far. */
  sent = 0

  constructor(most: number) {
    this.most = most
  }

  /** Calls that wait for a response or to be sent, without those that wait only for their own holder. */
  get size(): number {
    return this.total + [...this.waiting].filter(({ holder }) => this.mayHoldMore(holder)).length
  }

  /** Registers a holder with calls in progress, until the returned function is called. */
  enter(holder: string): () => void {
    this.holders.set(holder, (this.holders.get(holder) ?? 0) + 1)
    return () => {
      const left = (this.holders.get(holder) ?? 1) - 1
      if (left > 0) this.holders.set(holder, left)
      else this.holders.delete(holder)
      this.next()
    }
  }

  /** Resolves once a call of the holder would not have to wait. Rejects with the signal's reason. */
  async whenFree(holder: string, signal?: AbortSignal): Promise<void> {
    if (this.hasRoom(holder)) return
    await this.turn(holder, signal)
    // The next waiter gets the place now. Checking again here would pass the place back and forth forever.
    this.release(holder)
  }

  /** A call that had to wait runs `afterWait` and then its own. If one of them throws, the call rejects with NotSent. */
  bound(
    fetch: typeof globalThis.fetch,
    { holder = "", afterWait = async () => {} }: { holder?: string; afterWait?: () => Promise<void> } = {},
  ): typeof globalThis.fetch {
    return async (input, init) => {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
      const mustWait = !this.hasRoom(holder)
      // A call that has waited already holds a place.
      if (mustWait) await this.turn(holder, signal)
      else this.take(holder)
      try {
        if (mustWait) await askAfterWait(afterWait, (init as BoundInit | undefined)?.afterWait)
        this.sent++
        return await fetch(input, init)
      } finally {
        this.release(holder)
      }
    }
  }

  private mayHoldMore(holder: string): boolean {
    const others = [...this.holders.keys()].some((other) => other !== holder)
    return !others || (this.active.get(holder) ?? 0) < EACH
  }

  private hasRoom(holder: string): boolean {
    return this.total < this.most && this.mayHoldMore(holder)
  }

  private take(holder: string): void {
    this.total++
    this.active.set(holder, (this.active.get(holder) ?? 0) + 1)
  }

  private release(holder: string): void {
    this.total--
    const left = (this.active.get(holder) ?? 1) - 1
    if (left > 0) this.active.set(holder, left)
    else this.active.delete(holder)
    this.next()
  }

  /** Assigns free places to the calls that have waited longest and may have one. */
  private next(): void {
    for (const one of this.waiting) {
      if (this.total >= this.most) return
      if (!this.mayHoldMore(one.holder)) continue
      this.take(one.holder)
      one.go()
    }
  }

  private async turn(holder: string, signal: AbortSignal | null | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const one = {
        holder,
        go: () => {
          this.waiting.delete(one)
          signal?.removeEventListener("abort", stop)
          resolve()
        },
      }
      const stop = () => {
        this.waiting.delete(one)
        reject(signal?.reason)
      }
      if (signal?.aborted) return stop()
      signal?.addEventListener("abort", stop, { once: true })
      this.waiting.add(one)
    })
  }
}

async function askAfterWait(...asks: ((() => unknown) | undefined)[]): Promise<void> {
  try {
    for (const ask of asks) await ask?.()
  } catch (error) {
    throw new NotSent(error)
  }
}
