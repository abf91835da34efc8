import { Client, QstashError } from "@upstash/qstash"
import { undeclared } from "../base/casts.ts"
import type { BaseEnv } from "../base/env.ts"
import type { Clock } from "./clock.ts"
import type { Meter } from "./meter.ts"
import type { Redis } from "./redis.ts"
import { TIME_LIMITS } from "./time-limits.ts"

/**
 * `dedupe` merges identical messages within ten minutes; no code relies on it. `flow`: the flow
 * control that applies; null for none.
 */
export interface CallbackMessage {
  path: string
  flow: Flow | null
  delayMs?: number
  dedupe?: string
}

export interface Queue {
  /**
   * Requests a POST of `{}` to `path` of the callbacks worker after `delayMs`, at least once. The
   * receiver decides whether there is work. Throws if QStash does not accept within `publishMs`,
   * and then immediately for a while. The sweep is the retry.
   */
  publish(message: CallbackMessage): Promise<void>
  /** How many messages the plan delivers at once, and how many it delivers now. */
  load(): Promise<{ most: number; now: number }>
  /**
   * Throws if QStash refuses messages. Only a message shows that, because a plan that is used up still answers
   * `load`. So it publishes this one, but only after a refusal in any worker, or while Redis cannot tell.
   */
  requireAccepting(message: CallbackMessage): Promise<void>
}

/**
 * The share of the queue plan's concurrency that a callback uses: that of runners or of webhooks.
 * Accounts are spread over webhook lanes, so an account with a slow server delays only its own lane.
 */
export type Flow = { of: "turns" } | { of: "webhooks"; user_id: number }

type SlotsEnv = Pick<BaseEnv, "RUNNERS" | "WEBHOOK_RUNS">
type QueueEnv = Pick<BaseEnv, "QSTASH_URL" | "QSTASH_TOKEN" | "CALLBACKS_URL"> & SlotsEnv

/**
 * QStash's waits, in seconds, before it repeats a delivery that got UNAVAILABLE, taken from
 * Retry-After. Together they outlast a failover of the database; with the usual second, all repeats
 * would be over within four seconds.
 */
export const REDELIVERY_SECONDS = [5, 20, 80] as const

/** QStash's client for these bindings, shared by all requests. */
export function createQueueClient(env: Pick<QueueEnv, "QSTASH_URL" | "QSTASH_TOKEN">): Client {
  const baseUrl = env.QSTASH_URL.replace(/\/+$/, "")
  // Without `devMode: false`, a variable QSTASH_DEV would redirect all messages to a local server.
  const client = new Client({ baseUrl, token: env.QSTASH_TOKEN, retry: false, devMode: false, enableTelemetry: false })
  // The SDK accepts no signal. Aborting also frees one of the worker's six connections.
  const http = undeclared<{
    processRequest(request: object): [string, RequestInit]
    getResponseError(response: Response): Promise<Error | undefined>
  }>(client.http)
  const describe = http.processRequest
  http.processRequest = (request) => {
    const [url, init] = describe(request)
    return [url, { ...init, signal: AbortSignal.timeout(TIME_LIMITS.publishMs) }]
  }
  // For a 429 the SDK replaces QStash's own words, which say if the plan is used up.
  const errorOf = http.getResponseError.bind(http)
  http.getResponseError = async (response) => {
    const body = response.status === 429 ? await response.clone().text() : ""
    return body === "" ? errorOf(response) : new QstashError(body, response.status)
  }
  return client
}

/** Redis has this key after QStash has refused a message, until it accepts one again. */
const REFUSED = "queue.refused"
const REFUSED_KEPT_MS = 86_400_000

interface QueueParts {
  meter: Meter
  clock: Clock
  redis: () => Pick<Redis, "get" | "set" | "take">
  background: (work: Promise<unknown>) => void
}

/** The queue of one invocation. */
export function createQueue(client: Client, env: QueueEnv, { meter, clock, redis, background }: QueueParts): Queue {
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
  const publish = async (message: CallbackMessage): Promise<void> => {
    try {
      await ask(() => client.publish(requestOf(env, message)))
    } catch (error) {
      if (error instanceof QstashError)
        background(
          redis()
            .set(REFUSED, error.message, { ttlMs: REFUSED_KEPT_MS })
            .catch(() => false),
        )
      throw error
    }
  }
  return {
    publish,
    async requireAccepting(message) {
      const refused = await redis()
        .get(REFUSED)
        .catch(() => "unknown")
      if (refused === null) return
      await publish(message)
      await redis()
        .take(REFUSED)
        .catch(() => null)
    },
    async load() {
      const { parallelismMax, parallelismCount } = await ask(() => client.flowControl.getGlobalParallelism())
      return { most: parallelismMax, now: parallelismCount }
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

/** The most concurrent webhook dispatchers in one lane. */
const LANE_RUNS = 3

/** QStash applies the parallelism of a key's latest message. */
function flowControl(env: SlotsEnv, flow: Flow): { key: string; parallelism: number } {
  // A runner that has retired claims no more turns and has given up its place, but its callback is still open.
  if (flow.of === "turns") return { key: "turns", parallelism: Math.ceil(env.RUNNERS * 1.5) }
  return { key: `webhooks.${flow.user_id % webhookLanes(env)}`, parallelism: laneRuns(env) }
}

const laneRuns = ({ WEBHOOK_RUNS }: Pick<SlotsEnv, "WEBHOOK_RUNS">) => Math.min(LANE_RUNS, WEBHOOK_RUNS)

/** The number of webhook lanes. An account's lane is its id modulo this number. */
export const webhookLanes = (env: Pick<SlotsEnv, "WEBHOOK_RUNS">) => Math.floor(env.WEBHOOK_RUNS / laneRuns(env))

/** The exact URL that QStash signs and the callbacks worker verifies. */
export function callbackUrl(env: Pick<BaseEnv, "CALLBACKS_URL">, path: string): string {
  return `${env.CALLBACKS_URL.replace(/\/+$/, "")}${path}`
}
