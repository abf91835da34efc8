/** How long the AI SDK may wait before it retries. */
const KEPT_MS = 10 * 60_000
const MOST = 1_000

/**
 * The idempotency keys of calls that failed and can be retried, by a digest of their turn. The AI SDK retries with new
 * objects, so the content alone tells that a call is a retry. It then gets the key, and with it the same turn.
 */
export class FailedCalls {
  readonly #keys = new Map<string, { key: string; at: number }>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  put(digest: string, key: string): void {
    const now = this.#now()
    this.#keys.delete(digest)
    this.#keys.set(digest, { key, at: now })
    // A map keeps the order of its entries, so the first ones are the oldest.
    for (const [old, { at }] of this.#keys) {
      if (this.#keys.size <= MOST && now - at < KEPT_MS) return
      this.#keys.delete(old)
    }
  }

  /** Each key is given out once: the next equal call is one of its own. */
  take(digest: string): string | undefined {
    const found = this.#keys.get(digest)
    this.#keys.delete(digest)
    return found && this.#now() - found.at < KEPT_MS ? found.key : undefined
  }
}
