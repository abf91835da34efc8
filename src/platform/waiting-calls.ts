import { NotSent } from "./not-sent.ts"

interface Waiting {
  holder: string
  go(): void
}

/** What a caller of a bound fetch may add. */
export interface BoundInit extends RequestInit {
  afterWait?: () => void
}

/** How many calls of one holder wait for their answers while there are others. */
const EACH = 2

/**
 * Bounds how many calls of one invocation wait for the first byte of their answers: Cloudflare lets a worker have six connections that do,
 * and holds back all others, those to the database too. A call whose answer has begun counts no more. One that has to wait here can be
 * aborted. Holders share the places: one whose servers are slow does not take all.
 */
export class WaitingCalls {
  private readonly most: number
  private readonly waiting = new Set<Waiting>()
  private readonly active = new Map<string, number>()
  private readonly holders = new Map<string, number>()
  private total = 0
  /** How many calls were sent in all. */
  sent = 0

  constructor(most: number) {
    this.most = most
  }

  /** Those that wait for an answer, and those that wait to be sent, but for those that their own holder keeps waiting. */
  get size(): number {
    return this.total + [...this.waiting].filter(({ holder }) => this.mayHoldMore(holder)).length
  }

  /** Until the returned function is called, the holder has something under way that calls. */
  enter(holder: string): () => void {
    this.holders.set(holder, (this.holders.get(holder) ?? 0) + 1)
    return () => {
      const left = (this.holders.get(holder) ?? 1) - 1
      if (left > 0) this.holders.set(holder, left)
      else this.holders.delete(holder)
      this.next()
    }
  }

  /** Resolves when a call of the holder would not have had to wait, once; rejects with the signal's reason. */
  async room(holder: string, signal?: AbortSignal): Promise<void> {
    if (this.hasRoom(holder)) return
    await this.turn(holder, signal)
    // Whoever waits for room next gets the place now: to look again here would pass it to and fro for ever.
    this.release(holder)
  }

  /** A call that had to wait first calls `afterWait` and then its own. If one of them throws, the call rejects with NotSent. */
  bound(
    fetch: typeof globalThis.fetch,
    { holder = "", afterWait = async () => {} }: { holder?: string; afterWait?: () => Promise<void> } = {},
  ): typeof globalThis.fetch {
    return async (input, init) => {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
      const mustWait = !this.hasRoom(holder)
      // One that has waited has been given a place.
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

  /** Gives free places to those that have waited longest and may have one. */
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
