import { Client } from "@upstash/qstash"
import type { BaseEnv } from "../base/env.ts"
import type { Clock } from "./clock.ts"
import type { Meter } from "./meter.ts"
import { TIME_LIMITS } from "./time-limits.ts"

/** `dedupe` merges identical messages within ten minutes; nothing relies on it. `flow` says whose slots it takes; null: nobody's. */
export interface CallbackMessage {
  path: string
  flow: Flow | null
  delayMs?: number
  dedupe?: string
}

export interface Queue {
  /**
   * Asks QStash to POST `{}` to `path` of the callbacks worker after `delayMs`, at least once. The receiver decides whether there is
   * anything to do. Throws when QStash has not accepted within `publishMs`, and then at once for a while; the sweeper is the retry.
   */
  publish(message: CallbackMessage): Promise<void>
  /** The same for up to `MOST_TOGETHER` messages in one request: of each, whether QStash took it. Throws when it took none. */
  publishAll(messages: readonly CallbackMessage[]): Promise<boolean[]>
}

/**
 * Whose slots a callback takes. Each account has its own, live and test, for turns, for turns that have begun and for webhooks. So no
 * account waits for another, a webhook for no turn, and a turn that is handed over for none that waits to begin.
 */
export type Flow = { of: "turns" | "begun-turns" | "webhooks"; user_id: number; test: boolean } | LateFlow

/**
 * Behind an outage, turns whose messages were lost share few slots, so that they leave room for new ones: QStash has a limit for all keys
 * together, and does not say who goes first below it. `sharers`: how many accounts have such turns, live and test ones counted apart.
 */
interface LateFlow {
  of: "late-turns"
  user_id: number
  test: boolean
  sharers: number
}

/** QStash names no limit; so many of ours are some 50 kB. */
export const MOST_TOGETHER = 100

type SlotsEnv = Pick<
  BaseEnv,
  "TURN_SLOTS" | "TEST_TURN_SLOTS" | "WEBHOOK_SLOTS" | "TEST_WEBHOOK_SLOTS" | "LATE_TURN_SLOTS"
>
type QueueEnv = Pick<BaseEnv, "QSTASH_URL" | "QSTASH_TOKEN" | "CALLBACKS_URL"> & SlotsEnv

/**
 * The waits, in seconds, before QStash repeats a delivery that was answered UNAVAILABLE: it takes them from Retry-After. Together they are longer
 * than a database needs to fail over; with the second that clients are told they would be over in four.
 */
export const REDELIVERY_SECONDS = [5, 20, 80] as const

/** QStash's client for these bindings, shared by all requests. */
export function createQueueClient(env: Pick<QueueEnv, "QSTASH_URL" | "QSTASH_TOKEN">): Client {
  const baseUrl = env.QSTASH_URL.replace(/\/+$/, "")
  // Without `devMode: false`, a variable QSTASH_DEV would send everything to a server on this machine.
  const client = new Client({ baseUrl, token: env.QSTASH_TOKEN, retry: false, devMode: false, enableTelemetry: false })
  // The SDK takes no signal. Aborting also frees the connection; a worker has six.
  const http = client.http as unknown as { processRequest(request: object): [string, RequestInit] }
  const describe = http.processRequest
  http.processRequest = (request) => {
    const [url, init] = describe(request)
    return [url, { ...init, signal: AbortSignal.timeout(TIME_LIMITS.publishMs) }]
  }
  return client
}

/** The queue of one invocation. */
export function createQueue(client: Client, env: QueueEnv, { meter, clock }: { meter: Meter; clock: Clock }): Queue {
  let silentUntil = 0
  const ask = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    if (clock.now().getTime() < silentUntil) throw new Error("QStash did not answer a moment ago.")
    try {
      return await meter.measure("qstash", work)
    } catch (error) {
      const gaveUp = error instanceof Error && error.name === "TimeoutError"
      if (gaveUp) silentUntil = clock.now().getTime() + TIME_LIMITS.publishRestMs
      throw error
    }
  }
  return {
    async publish(message) {
      await ask(() => client.publish(requestOf(env, message)))
    },
    async publishAll(messages) {
      const answers = await ask(() => client.batch(messages.map((message) => requestOf(env, message))))
      // One that was refused has an error instead of an id. Which are meant where some are missing is not known.
      if (answers.length !== messages.length)
        throw new Error(`QStash answered ${answers.length} of ${messages.length}.`)
      return messages.map((_, index) => typeof (answers[index] as { messageId?: unknown })?.messageId === "string")
    },
  }
}

function requestOf(env: QueueEnv, { path, flow, delayMs = 0, dedupe }: CallbackMessage) {
  return {
    url: callbackUrl(env, path),
    body: "{}",
    headers: { "Content-Type": "application/json" },
    retries: REDELIVERY_SECONDS.length,
    ...(flow && { flowControl: flowControl(env, flow) }),
    ...(delayMs > 0 && { delay: Math.ceil(delayMs / 1000) }),
    ...(dedupe && { deduplicationId: dedupe }),
  }
}

/** QStash takes over the parallelism that the last message of a key names. */
function flowControl(env: SlotsEnv, flow: Flow): { key: string; parallelism: number } {
  const { of, user_id, test } = flow
  const ofTurns = test ? env.TEST_TURN_SLOTS : env.TURN_SLOTS
  const ofWebhooks = test ? env.TEST_WEBHOOK_SLOTS : env.WEBHOOK_SLOTS
  // An equal share, and at least one slot: no account waits for another.
  const share = flow.of === "late-turns" ? Math.max(1, Math.floor(env.LATE_TURN_SLOTS / flow.sharers)) : ofTurns
  const parallelism = of === "webhooks" ? ofWebhooks : Math.min(ofTurns, share)
  return { key: `${of}.${user_id}.${test ? "test" : "live"}`, parallelism }
}

/** The exact URL that QStash signs and that the callbacks worker verifies. */
export function callbackUrl(env: Pick<BaseEnv, "CALLBACKS_URL">, path: string): string {
  return `${env.CALLBACKS_URL.replace(/\/+$/, "")}${path}`
}
