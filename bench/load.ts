import { join } from "node:path"
import { Worker } from "node:worker_threads"

export interface BenchAccount {
  userId: number
  key: string
  space: string
}

/** Closed-loop clients. Each sends its next request after the response to the last one, at the earliest at its time. */
export interface Job {
  url: string
  accounts: BenchAccount[]
  prefix: string
  clients: number
  /** The job ends after this time, or after `count` requests. */
  seconds?: number
  count?: number
  /** The maximum number of requests per minute, evenly spread. */
  perMinute?: number
  /** The text of each turn; a question without directives by default. */
  text?: string
  /** Paths to GET instead of posting turns. */
  paths?: string[]
}

export interface Result {
  /** The duration of each request in milliseconds. */
  samples: number[]
  seconds: number
  failed: number
  /** The body of a failed request, if any. */
  sample: string
  /** The CPU cores that the load generator used. Near 1, the generator was the bottleneck. */
  cores: number
}

/** Starts a load generator on its own thread, so that the stand-ins do not slow it down. */
export function startLoad() {
  const thread = new Worker(join(import.meta.dirname, "./load-thread.ts"))
  return {
    run: (job: Job): Promise<Result> =>
      new Promise((done, fail) => {
        thread.once("message", ({ result, error }: { result?: Result; error?: string }) => {
          if (!result) return fail(new Error(error))
          if (result.failed > 0)
            return fail(new Error(`${result.failed} requests failed, the last one with: ${result.sample}`))
          done(result)
        })
        thread.postMessage(job)
      }),
    stop: () => thread.terminate(),
  }
}

export type Load = ReturnType<typeof startLoad>
