/**
 * Bounds how many calls of one invocation wait for the first byte of their answers: Cloudflare lets a worker have six connections that do,
 * and holds back all others, those to the database too. A call whose answer has begun counts no more. One that has to wait here can be
 * aborted.
 */
export class WaitingCalls {
  private readonly most: number
  private readonly waiting = new Set<() => void>()
  private active = 0

  constructor(most: number) {
    this.most = most
  }

  /** Those that wait for an answer, and those that wait to be sent. */
  get size(): number {
    return this.active + this.waiting.size
  }

  /** `afterWait` is called before a call is sent that had to wait: it may throw, and the call is not sent. */
  bound(fetch: typeof globalThis.fetch, afterWait: () => Promise<void> = async () => {}): typeof globalThis.fetch {
    return async (input, init) => {
      const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
      const mustWait = this.active >= this.most
      // One that has waited gets the place of the one before it.
      if (mustWait) await this.turn(signal)
      else this.active++
      try {
        if (mustWait) await afterWait()
        return await fetch(input, init)
      } finally {
        const [next] = this.waiting
        if (next) next()
        else this.active--
      }
    }
  }

  private async turn(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        this.waiting.delete(go)
        signal?.removeEventListener("abort", stop)
        resolve()
      }
      const stop = () => {
        this.waiting.delete(go)
        reject(signal?.reason)
      }
      if (signal?.aborted) return stop()
      signal?.addEventListener("abort", stop, { once: true })
      this.waiting.add(go)
    })
  }
}
