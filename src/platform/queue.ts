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

/**
 * QStash's publish (its REST API, `POST /v2/publish/{destination}`), written out: the SDK is a tenth of the v1 worker, for
 * this one request. The sweeper is the retry of a failed publish, so nothing waits here.
 */
export function createQueue(env: QueueEnv, meter: Meter): Queue {
  return {
    async publish({ path, delayMs = 0, dedupe }) {
      const headers = {
        Authorization: `Bearer ${env.QSTASH_TOKEN}`,
        "Content-Type": "application/json",
        "Upstash-Method": "POST",
        "Upstash-Retries": "3",
        ...(delayMs > 0 && { "Upstash-Delay": `${Math.ceil(delayMs / 1000)}s` }),
        ...(dedupe && { "Upstash-Deduplication-Id": dedupe }),
      }
      const address = `${env.QSTASH_URL.replace(/\/+$/, "")}/v2/publish/${callbackUrl(env, path)}`
      await meter.measure("qstash", async () => {
        const response = await fetch(address, { method: "POST", headers, body: "{}" })
        const answer = await response.text()
        if (!response.ok) throw new Error(`QStash answered ${response.status}: ${answer.slice(0, 300)}`)
      })
    },
  }
}

/** The exact URL that QStash signs and that the callbacks worker verifies. */
export function callbackUrl(env: Pick<BaseEnv, "CALLBACKS_URL">, path: string): string {
  return `${env.CALLBACKS_URL.replace(/\/+$/, "")}${path}`
}
