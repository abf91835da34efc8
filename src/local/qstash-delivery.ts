import { createHmac, hash, randomUUID } from "node:crypto"
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { Broker } from "./qstash-broker.ts"
import { LIMITS } from "./qstash-headers.ts"
import { type DeliveryOutcome, LOST_ATTEMPT, type QstashMessage } from "./qstash-message.ts"

/** The maximum of setTimeout, which uses a signed 32-bit number. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** How long close() waits for deliveries in progress. */
const CLOSING_MS = 1000
const SIGNATURE_SECONDS = 300

/** The headers of one attempt, signed for `nowMs`. */
export function deliveryHeaders(message: QstashMessage, key: string, nowMs: number): Record<string, string> {
  const { url, options, messageId, body } = message
  return {
    ...(options.contentType && { "Content-Type": options.contentType }),
    "User-Agent": "Upstash-QStash",
    "Upstash-Message-Id": messageId,
    "Upstash-Retried": String(message.retried),
    "Upstash-Caller-Ip": "127.0.0.1",
    "Upstash-Signature": sign(url, body, key, nowMs),
  }
}

const JWT_HEADER = base64url({ alg: "HS256", typ: "JWT" })

/** Signs the destination and the exact bytes of the body as a JWT. */
function sign(url: string, body: Buffer, key: string, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1000)
  const payload = base64url({
    iss: "Upstash",
    sub: url,
    exp: issuedAt + SIGNATURE_SECONDS,
    nbf: issuedAt,
    iat: issuedAt,
    jti: `jwt_${randomUUID()}`,
    // The real service pads this claim, and verifiers strip the padding.
    body: `${hash("sha256", body, "base64url")}=`,
  })
  const signed = `${JWT_HEADER}.${payload}`
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

interface PusherParts {
  broker: () => Broker
  signingKey: () => string
  now: () => number
}

/** Delivers messages when they are due, with one timer for the next message and one request for each attempt. */
export class Pusher {
  private readonly parts: PusherParts
  private readonly underWay = new Map<Promise<void>, () => void>()
  private timer: NodeJS.Timeout | undefined
  private isPumpPlanned = false
  private isClosed = false

  constructor(parts: PusherParts) {
    this.parts = parts
  }

  /** Must be called after every change that can make a message due. */
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

  private start(broker: Broker, message: QstashMessage): void {
    const exchange = send(message, deliveryHeaders(message, this.parts.signingKey(), this.parts.now()))
    const attempt = exchange.outcome.then((outcome) => {
      this.underWay.delete(attempt)
      broker.settle(message, outcome, this.parts.now())
      this.wake()
    })
    this.underWay.set(attempt, exchange.giveUp)
  }
}

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }

/** Makes one attempt without following redirects. It always resolves. `fetch` would take four times the CPU time. */
function send({ url, body }: QstashMessage, headers: Record<string, string>) {
  let request: ClientRequest | undefined
  let isGivenUp = false
  const giveUp = () => {
    isGivenUp = true
    request?.destroy()
  }
  const timeout = setTimeout(giveUp, LIMITS.timeoutMs)
  const exchange = () =>
    new Promise<DeliveryOutcome>((done, fail) => {
      request = /^https:/i.test(url)
        ? httpsRequest(url, { agent: agents.https, method: "POST", headers })
        : httpRequest(url, { agent: agents.http, method: "POST", headers })
      request.on("error", fail)
      request.on("response", (response) => read(response).then(done, fail))
      request.end(body.length > 0 ? body : undefined)
    })
  const attempt = (): Promise<DeliveryOutcome> =>
    exchange().catch((error: NodeJS.ErrnoException) => {
      // The server has just closed the kept-alive connection.
      if (!isGivenUp && request?.reusedSocket && error.code === "ECONNRESET") return attempt()
      return LOST_ATTEMPT
    })
  return { outcome: attempt().finally(() => clearTimeout(timeout)), giveUp }
}

function read(response: IncomingMessage): Promise<DeliveryOutcome> {
  return new Promise((done, fail) => {
    response.on("error", fail)
    response.on("end", () => {
      done({ status: response.statusCode ?? 0, headers: response.headersDistinct as DeliveryOutcome["headers"] })
    })
    response.resume()
  })
}
