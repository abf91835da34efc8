import { join } from "node:path"
import { Worker } from "node:worker_threads"

export interface BenchAccount {
  userId: number
  key: string
  space: string
}

/** Closed-loop clients: each sends its next request after the answer to its last one, or when its time has come. */
export interface Job {
  url: string
  accounts: BenchAccount[]
  prefix: string
  clients: number
  /** Ends after this time, or after this many requests. */
  seconds?: number
  count?: number
  /** No more than so many, evenly spread. */
  perMinute?: number
  /** GET these instead of posting turns. */
  paths?: string[]
}

export interface Result {
  /** Milliseconds of each request. */
  samples: number[]
  seconds: number
  failed: number
  /** The body of a failed request, if any. */
  sample: string
  /** The cores that the generator itself used. Near 1 means that it was the limit. */
  cores: number
}

/** A load generator on a thread of its own, so that the stand-ins do not slow it down. */
export function startLoad() {
  const thread = new Worker(join(import.meta.dirname, "./load-thread.ts"))
  return {
    run: (job: Job): Promise<Result> =>
      new Promise((done, fail) => {
        thread.once("message", ({ result, error }: { result?: Result; error?: string }) => {
          if (!result) return fail(new Error(error))
          if (result.failed > 0)
            return fail(new Error(`${result.failed} requests failed, the last with: ${result.sample}`))
          done(result)
        })
        thread.postMessage(job)
      }),
    stop: () => thread.terminate(),
  }
}

export type Load = ReturnType<typeof startLoad>
