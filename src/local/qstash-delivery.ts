import type { Broker } from "./qstash-broker.ts"
import { LIMITS } from "./qstash-headers.ts"
import { CALLER_IP, lostOutcome, type Message, type Outcome } from "./qstash-message.ts"
import { signDelivery } from "./qstash-signature.ts"

/** setTimeout counts in 32 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** How long close() lets deliveries under way end by themselves. */
const CLOSING_MS = 1000

interface DeliveryRequest {
  url: string
  method: string
  headers: Record<string, string>
  body: Buffer
}

/** One attempt as it goes over the wire, signed for `nowMs`. A GET carries no body, and is signed for none. */
export function deliveryRequest(message: Message, key: string, nowMs: number): DeliveryRequest {
  const body = message.method === "GET" ? Buffer.alloc(0) : message.body
  const headers: Record<string, string> = {}
  for (const [name, values] of Object.entries(message.options.headers)) headers[name] = values.join(", ")
  headers["User-Agent"] = "Upstash-QStash"
  headers["Upstash-Message-Id"] = message.messageId
  headers["Upstash-Retried"] = String(message.retried)
  headers["Upstash-Caller-Ip"] = CALLER_IP
  if (message.scheduleId !== undefined) headers["Upstash-Schedule-Id"] = message.scheduleId
  headers["Upstash-Signature"] = signDelivery({ key, url: message.url, body, nowMs })
  return { url: message.url, method: message.method, headers, body }
}

interface PusherParts {
  broker: () => Broker
  signingKey: () => string
  now: () => number
  fetch: typeof fetch
}

/** Delivers by itself: one timer for the next due message, one fetch per attempt. */
export class Pusher {
  private readonly parts: PusherParts
  private readonly underWay = new Map<Promise<void>, AbortController>()
  private timer: NodeJS.Timeout | undefined
  private isPumpPlanned = false
  private isClosed = false

  constructor(parts: PusherParts) {
    this.parts = parts
  }

  /** To be called after anything that may have made a message due. */
  wake(): void {
    if (this.isPumpPlanned || this.isClosed) return
    this.isPumpPlanned = true
    setImmediate(() => this.pump())
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    const deadline = setTimeout(() => {
      for (const abort of this.underWay.values()) abort.abort()
    }, CLOSING_MS)
    await Promise.all(this.underWay.keys())
    clearTimeout(deadline)
  }

  private pump(): void {
    this.isPumpPlanned = false
    if (this.isClosed) return
    const broker = this.parts.broker()
    for (const message of broker.takeDue(this.parts.now())) this.start(broker, message)
    clearTimeout(this.timer)
    const waitMs = broker.nextDueMs() - this.parts.now()
    if (waitMs === Number.POSITIVE_INFINITY) return
    this.timer = setTimeout(() => this.wake(), Math.min(MAX_TIMER_MS, Math.max(0, waitMs)))
  }

  private start(broker: Broker, message: Message): void {
    const abort = new AbortController()
    const attempt = this.attempt(message, abort).then((outcome) => {
      this.underWay.delete(attempt)
      broker.settle(message, outcome, this.parts.now())
      this.wake()
    })
    this.underWay.set(attempt, abort)
  }

  private async attempt(message: Message, abort: AbortController): Promise<Outcome> {
    const timeout = setTimeout(() => abort.abort(), message.options.timeoutMs ?? LIMITS.timeoutMs)
    try {
      const { url, method, headers, body } = deliveryRequest(message, this.parts.signingKey(), this.parts.now())
      const init: RequestInit = { method, headers, redirect: "manual", signal: abort.signal }
      if (method !== "GET") init.body = body
      const response = await this.parts.fetch(url, init)
      const reply = Buffer.from(await response.arrayBuffer())
      return {
        status: response.status,
        headers: groupHeaders(response.headers),
        body: reply.subarray(0, LIMITS.messageBytes),
        error: undefined,
      }
    } catch (error) {
      if (abort.signal.aborted) return lostOutcome("timeout: the endpoint did not answer in time")
      return lostOutcome(`could not reach the endpoint: ${reasonOf(error)}`)
    } finally {
      clearTimeout(timeout)
    }
  }
}

function groupHeaders(headers: Headers): Record<string, string[]> {
  const grouped: Record<string, string[]> = {}
  headers.forEach((value, name) => {
    grouped[name] = [...(grouped[name] ?? []), value]
  })
  return grouped
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
