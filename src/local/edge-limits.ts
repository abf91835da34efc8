import { AsyncLocalStorage } from "node:async_hooks"

/** Cloudflare's limits of an invocation on the paid plan: calls that wait for response headers, and calls in all. */
export const EDGE_LIMITS = { waiting: 6, subrequests: 10_000 } as const

/** Where a worker of a bench says the most that its invocations have had. */
export const PEAKS_PATH = "/.edge-peaks"

/** The most of any invocation so far. */
export interface EdgePeaks {
  waiting: number
  subrequests: number
  /** How many calls of all invocations had to wait for a place. */
  queued: number
  /** How many invocations were refused a call. */
  exceeded: number
}

/** The calls of one invocation: a seventh that waits for headers is held back, and one too many fails. */
class Invocation {
  private readonly limits: { waiting: number; subrequests: number }
  private readonly peaks: EdgePeaks
  private readonly queue = new Set<() => void>()
  private waiting = 0
  private sent = 0

  constructor(limits: { waiting: number; subrequests: number }, peaks: EdgePeaks) {
    this.limits = limits
    this.peaks = peaks
  }

  async call<T>(send: () => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    this.sent++
    this.peaks.subrequests = Math.max(this.peaks.subrequests, Math.min(this.sent, this.limits.subrequests))
    if (this.sent > this.limits.subrequests) {
      if (this.sent === this.limits.subrequests + 1) this.peaks.exceeded++
      throw new Error("Too many subrequests by single Worker invocation.")
    }
    if (this.waiting < this.limits.waiting) this.waiting++
    else await this.place(signal)
    this.peaks.waiting = Math.max(this.peaks.waiting, this.waiting)
    try {
      return await orAborted(send(), signal)
    } finally {
      const [next] = this.queue
      if (next) next()
      else this.waiting--
    }
  }

  /** Resolves with the place of a call that is answered. */
  private place(signal?: AbortSignal | null): Promise<void> {
    this.peaks.queued++
    return new Promise((resolve, reject) => {
      const go = () => {
        this.queue.delete(go)
        signal?.removeEventListener("abort", stop)
        resolve()
      }
      const stop = () => {
        this.queue.delete(go)
        reject(signal?.reason)
      }
      if (signal?.aborted) return stop()
      signal?.addEventListener("abort", stop, { once: true })
      this.queue.add(go)
    })
  }
}

/** An aborted call frees its place at once, also if the server in this process ignores the signal. */
async function orAborted<T>(answer: Promise<T>, signal?: AbortSignal | null): Promise<T> {
  if (!signal) return answer
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener("abort", stop, { once: true })
  try {
    return await Promise.race([answer, aborted.promise])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

const BUCKET_CALLS = new Set(["get", "put", "head", "delete", "list", "uploadPart", "complete", "abort"])

/**
 * Enforces Cloudflare's limits of an invocation, which workerd and Miniflare do not enforce. A call belongs to the
 * invocation that makes it, also after the response. A call outside of an invocation is not limited.
 */
export function createEdge(limits: { waiting: number; subrequests: number } = EDGE_LIMITS) {
  const invocations = new AsyncLocalStorage<Invocation>()
  const peaks: EdgePeaks = { waiting: 0, subrequests: 0, queued: 0, exceeded: 0 }
  const buckets = new WeakMap<object, object>()

  const call = <T>(send: () => Promise<T>, signal?: AbortSignal | null): Promise<T> =>
    invocations.getStore()?.call(send, signal) ?? send()

  /** A bucket, or an upload of it: each call is one of the invocation's. */
  function boundBucket<Bucket extends object>(bucket: Bucket): Bucket {
    const known = buckets.get(bucket) as Bucket | undefined
    if (known) return known
    const bound = new Proxy(bucket, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== "function") return value
        const plain = (...args: unknown[]): unknown => value.apply(target, args)
        if (name === "resumeMultipartUpload") return (...args: unknown[]) => boundBucket(plain(...args) as object)
        if (name === "createMultipartUpload") {
          return async (...args: unknown[]) => boundBucket((await call(async () => plain(...args))) as object)
        }
        return BUCKET_CALLS.has(String(name)) ? (...args: unknown[]) => call(async () => plain(...args)) : plain
      },
    })
    buckets.set(bucket, bound)
    return bound
  }

  return {
    peaks,
    /** One invocation. */
    run: <T>(work: () => T): T => invocations.run(new Invocation(limits, peaks), work),
    /** Runs code that is not the worker's, such as a server in the same process. */
    outside: <T>(work: () => T): T => invocations.exit(work),
    boundFetch:
      (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
      (input, init) =>
        call(
          async () => fetch(input as RequestInfo, init),
          init?.signal ?? (input instanceof Request ? input.signal : undefined),
        ),
    boundBucket,
  }
}
