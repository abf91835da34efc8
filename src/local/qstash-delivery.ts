import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
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
}

/** Delivers by itself: one timer for the next due message, one request for each attempt. */
export class Pusher {
  private readonly parts: PusherParts
  private readonly underWay = new Map<Promise<void>, () => void>()
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
      for (const giveUp of this.underWay.values()) giveUp()
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
    const outgoing = deliveryRequest(message, this.parts.signingKey(), this.parts.now())
    const exchange = send(outgoing, message.options.timeoutMs ?? LIMITS.timeoutMs)
    const attempt = exchange.outcome.then((outcome) => {
      this.underWay.delete(attempt)
      broker.settle(message, outcome, this.parts.now())
      this.wake()
    })
    this.underWay.set(attempt, exchange.giveUp)
  }
}

/** Idle connections are left before the other side leaves them: a delivery on one that closes would be lost. */
const IDLE_MS = 4000
const agents = {
  http: new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
  https: new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
}

/** One request, which follows no redirect; its outcome comes whatever happens. With `fetch` it would cost four times the CPU. */
function send({ url, method, headers, body }: DeliveryRequest, timeoutMs: number) {
  let giveUp = () => {}
  const outcome = new Promise<Outcome>((done, fail) => {
    const request = /^https:/i.test(url)
      ? httpsRequest(url, { agent: agents.https, method, headers })
      : httpRequest(url, { agent: agents.http, method, headers })
    const timeout = setTimeout(() => giveUp(), timeoutMs)
    giveUp = () => {
      done(lostOutcome("timeout: the endpoint did not answer in time"))
      request.destroy()
    }
    request.on("close", () => clearTimeout(timeout))
    request.on("error", fail)
    request.on("response", (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", fail)
      response.on("end", () => done(readOutcome(response, Buffer.concat(chunks))))
    })
    request.end(method === "GET" ? undefined : body)
  }).catch((error: NodeJS.ErrnoException) => {
    return lostOutcome(`could not reach the endpoint: ${error.message || error.code}`)
  })
  return { outcome, giveUp: () => giveUp() }
}

function readOutcome({ statusCode = 0, headersDistinct }: IncomingMessage, body: Buffer): Outcome {
  const headers = headersDistinct as Record<string, string[]>
  return { status: statusCode, headers, body: body.subarray(0, LIMITS.messageBytes), error: undefined }
}
