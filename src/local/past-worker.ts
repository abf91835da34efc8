import { createWorker } from "../http/app.ts"
import type { Clock } from "../platform/clock.ts"
import { all } from "../routes/all.ts"
import type { Namespace } from "./namespace.ts"
import type { DueDelivery } from "./qstash-control.ts"

/** Nobody reads a file of the past: what is made there is deleted again, so that no row is without its bytes. */
const NO_BUCKET = { put: async () => null, delete: async () => {} }

type PastVariables = Record<string, unknown> & { CALLBACKS_URL: string }

/** Answers for a server that is not there; undefined: the real one is asked. */
export type Pretend = (request: Request) => Promise<Response | undefined>

/**
 * The whole service in this process, at moments of the past: what happens is told by `clock`, and the queue delivers when it is asked to.
 * `namespace` has a queue of its own, in manual mode.
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
  const execution = {
    waitUntil(work: Promise<unknown>) {
      const tracked = work.catch(() => {}).finally(() => background.delete(tracked))
      background.add(tracked)
    },
    passThroughOnException() {},
    props: {},
  } as unknown as ExecutionContext

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
    /** Delivers what is due until nothing is. */
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
    /** What the cron trigger does. */
    async sweep(): Promise<void> {
      await worker.scheduled({}, env, execution)
      await settled()
    },
  }
}

/** It stands still until it is moved. Nobody sleeps in the past: a wait is over at once, and moves it. */
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
