import { undeclared } from "../base/casts.ts"
import { createWorker } from "../http/app.ts"
import type { Clock } from "../platform/clock.ts"
import { all } from "../routes/all.ts"
import type { Namespace } from "./namespace.ts"
import type { DueDelivery } from "./qstash-control.ts"

/** Stores no bytes. The files that the demo month generates are deleted again, so no row of a file is left. */
const NO_BUCKET = { put: async () => null, delete: async () => {} }

type PastVariables = Record<string, unknown> & { CALLBACKS_URL: string }

/** Answers for a simulated server; undefined to call the real one. */
export type Pretend = (request: Request) => Promise<Response | undefined>

/**
 * Runs all groups of the service in this process with a clock in the past. The queue of `namespace` is in manual mode,
 * so `drain` delivers its messages.
 */
export function createPastWorker(namespace: Namespace, variables: PastVariables, pretend: Pretend) {
  const clock = createPastClock()
  const ask: typeof fetch = async (input, init) => {
    const request = new Request(input as string, init)
    return (await pretend(request.clone())) ?? fetch(request)
  }
  const worker = createWorker(all, { clock, fetch: ask })
  const env = { ...variables, ...namespace.env, FILES: NO_BUCKET, LOG_LEVEL: "silent" }
  const background = new Set<Promise<unknown>>()
  const execution = undeclared<ExecutionContext>({
    waitUntil(work: Promise<unknown>) {
      const tracked = work.catch(() => {}).finally(() => background.delete(tracked))
      background.add(tracked)
    },
    passThroughOnException() {},
    props: {},
  })

  async function control<Result>(path: string, body: object): Promise<Result> {
    const call = { method: "POST", path, search: "", headers: {}, body: Buffer.from(JSON.stringify(body)) }
    const answer = await namespace.route("control", call)
    return JSON.parse(String(answer?.body)) as Result
  }

  async function settled(): Promise<void> {
    while (background.size > 0) await Promise.all([...background])
  }

  // A local service rejects every request to another host.
  const { origin } = new URL(variables.CALLBACKS_URL)

  return {
    clock,
    origin,
    async moveTo(moment: Date): Promise<void> {
      clock.set(moment.getTime())
      await control("/qstash/clock", { now_ms: moment.getTime() })
    },
    fetch: (path: string, init: RequestInit) => worker.fetch(new Request(origin + path, init), env, execution),
    /** Delivers the due messages until there are no more. */
    async drain(): Promise<void> {
      for (;;) {
        await settled()
        const due = await control<DueDelivery[]>("/qstash/due", {})
        if (due.length === 0) return
        for (const { delivery_id, url, headers, body } of due) {
          const request = new Request(url, { method: "POST", headers, body: Buffer.from(body, "base64") })
          const { status } = await worker.fetch(request, env, execution)
          await control("/qstash/answer", { delivery_id, status })
        }
      }
    },
    /** Runs the cron trigger once. */
    async sweep(): Promise<void> {
      await worker.scheduled({}, env, execution)
      await settled()
    },
  }
}

/** A clock that moves only by `set`, `pass` and `sleep`. A sleep returns at once. */
function createPastClock(): Clock & { set(ms: number): void; pass(ms: number): void } {
  let now = 0
  return {
    now: () => new Date(now),
    set(ms) {
      now = Math.max(now, ms)
    },
    pass(ms) {
      now += ms
    },
    async sleep(ms) {
      now += ms
    },
    after(ms, act) {
      const timer = setTimeout(act, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
}
