import { randomUUID } from "node:crypto"
import { DAY_MS } from "../base/time.ts"
import { FlowKeys } from "./qstash-flow.ts"
import { LIMITS, type PublishOptions, QstashRefusal } from "./qstash-headers.ts"
import type { DeliveryOutcome, QstashMessage } from "./qstash-message.ts"

interface Publication {
  url: string
  options: PublishOptions
  body: Buffer
}

interface Receipt {
  messageId: string
  url: string
  deduplicated?: true
}

type Settlement = "delivered" | "retry" | "failed"

const DEDUPLICATION_MS = 600_000

/** Keeps messages from their acceptance to their end. It gets the time as an argument and sends nothing itself. */
export class Broker {
  private readonly flow = new FlowKeys()
  /** The messages that are not yet delivered or failed for good. */
  private readonly messages = new Set<QstashMessage>()
  /** The messages that wait for their time, sorted by time. */
  private readonly due: QstashMessage[] = []
  /** The deduplication ids of the last ten minutes. All have the same lifetime, so the oldest come first. */
  private readonly accepted = new Map<string, { messageId: string; expiresAt: number }>()
  private sequence = 0
  private activeCount = 0
  private readonly parallelism: number

  constructor(parallelism: number) {
    this.parallelism = parallelism
  }

  publish(publication: Publication, now: number): Receipt {
    const { url, options, body } = publication
    if (body.length > LIMITS.messageBytes) throw new QstashRefusal(413, "message size is over the limit of 1 MB")
    const id = options.deduplicationId
    if (id === undefined) return { messageId: this.accept(publication, now).messageId, url }
    for (const [old, { expiresAt }] of this.accepted) {
      if (expiresAt > now) break
      this.accepted.delete(old)
    }
    const known = this.accepted.get(id)
    if (known) return { messageId: known.messageId, url, deduplicated: true }
    const { messageId } = this.accept(publication, now)
    this.accepted.set(id, { messageId, expiresAt: now + DEDUPLICATION_MS })
    return { messageId, url }
  }

  /** How many messages are delivered at once, as QStash counts them over all destinations. */
  get load(): { parallelismMax: number; parallelismCount: number } {
    // JSON has no infinity.
    return { parallelismMax: Math.min(this.parallelism, 1_000_000), parallelismCount: this.activeCount }
  }

  /** Returns every message to deliver now, and marks it as active. */
  takeDue(now: number): QstashMessage[] {
    const hasRoom = () => this.activeCount < this.parallelism
    const taken: QstashMessage[] = []
    const take = (message: QstashMessage) => {
      message.isActive = true
      this.activeCount++
      taken.push(message)
    }
    for (let next = this.due[0]; next && next.notBefore <= now; next = this.due[0]) {
      this.due.shift()
      this.flow.add(next)
    }
    for (const message of this.flow.drain(hasRoom)) take(message)
    return taken
  }

  /** The earliest time in ms at which takeDue can return a message; Infinity if it depends on a settlement. */
  nextDueMs(): number {
    if (this.activeCount >= this.parallelism) return Number.POSITIVE_INFINITY
    return this.flow.hasWakeable ? 0 : (this.due[0]?.notBefore ?? Number.POSITIVE_INFINITY)
  }

  /** Ends an attempt: the message is delivered, will be retried, or has failed for good. */
  settle(message: QstashMessage, outcome: DeliveryOutcome, now: number): Settlement {
    message.isActive = false
    this.activeCount--
    this.flow.finish(message)
    const isDelivered = outcome.status >= 200 && outcome.status < 300
    if (!isDelivered && message.retried < message.options.retries && !isNonRetryable(outcome)) {
      message.notBefore = now + retryDelayMs(message.retried, outcome.headers, now)
      message.retried++
      this.schedule(message)
      return "retry"
    }
    this.messages.delete(message)
    return isDelivered ? "delivered" : "failed"
  }

  /** The accepted messages that are not being delivered, sorted by time. */
  pending(): QstashMessage[] {
    return [...this.messages].filter(({ isActive }) => !isActive).sort(byTime)
  }

  private accept({ url, options, body }: Publication, now: number): QstashMessage {
    const message: QstashMessage = {
      messageId: `msg_${randomUUID()}`,
      url,
      body,
      options,
      sequence: this.sequence++,
      notBefore: now + options.delayMs,
      retried: 0,
      isActive: false,
    }
    this.messages.add(message)
    if (options.flowControl) this.flow.configure(options.flowControl)
    this.schedule(message)
    return message
  }

  private schedule(message: QstashMessage): void {
    let [from, to] = [0, this.due.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (byTime(this.due[middle] as QstashMessage, message) < 0) from = middle + 1
      else to = middle
    }
    this.due.splice(from, 0, message)
  }
}

function byTime(a: QstashMessage, b: QstashMessage): number {
  return a.notBefore - b.notBefore || a.sequence - b.sequence
}

function isNonRetryable({ status, headers }: DeliveryOutcome): boolean {
  return status === 489 && headers["upstash-nonretryable-error"]?.[0] === "true"
}

/**
 * The delay before the next attempt: what the response's header requests, in seconds or as a date, at most a day;
 * otherwise min(86400, e^(2.5 n)) in whole seconds, which is 12 s, 2 min 28 s, 30 min 8 s.
 */
function retryDelayMs(
  retried: number,
  { "retry-after": after, "x-ratelimit-reset": reset }: DeliveryOutcome["headers"],
  now: number,
) {
  const wish = (after ?? reset)?.[0] ?? ""
  const asked = /^\d+$/.test(wish) ? Number(wish) * 1000 : Math.max(0, Date.parse(wish) - now)
  if (asked <= DAY_MS) return asked
  return Math.floor(Math.min(DAY_MS / 1000, Math.exp(2.5 * (retried + 1)))) * 1000
}
