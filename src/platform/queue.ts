import { Client } from "@upstash/qstash"
import type { BaseEnv } from "../env.ts"
import type { Meter } from "./meter.ts"

export interface Queue {
  /**
   * Asks QStash to POST `{}` to `path` of the callbacks worker, after `delayMs`. At least once: the receiver decides
   * whether it still means anything. `dedupe` folds identical wishes of ten minutes into one; it is a help only.
   */
  publish(message: { path: string; delayMs?: number; dedupe?: string }): Promise<void>
}

type QueueEnv = Pick<BaseEnv, "QSTASH_URL" | "QSTASH_TOKEN" | "CALLBACKS_URL">

// The client holds configuration only: one for each worker's bindings, since making it costs more than a publish.
const clients = new WeakMap<QueueEnv, Client>()

function clientOf(env: QueueEnv): Client {
  const known = clients.get(env)
  if (known) return known
  // The sweeper is the retry of a failed publish: the client itself must not wait.
  const client = new Client({ baseUrl: env.QSTASH_URL, token: env.QSTASH_TOKEN, retry: false, enableTelemetry: false })
  clients.set(env, client)
  return client
}

export function createQueue(env: QueueEnv, meter: Meter): Queue {
  return {
    async publish({ path, delayMs = 0, dedupe }) {
      await meter.measure("qstash", () =>
        clientOf(env).publishJSON({
          url: callbackUrl(env, path),
          body: {},
          retries: 3,
          ...(delayMs > 0 && { delay: Math.ceil(delayMs / 1000) }),
          ...(dedupe && { deduplicationId: dedupe }),
        }),
      )
    },
  }
}

/** The exact URL that QStash signs and that the callbacks worker verifies. */
export function callbackUrl(env: Pick<BaseEnv, "CALLBACKS_URL">, path: string): string {
  return `${env.CALLBACKS_URL.replace(/\/+$/, "")}${path}`
}
