import { randomUUID } from "node:crypto"
import { DeadLetters } from "./qstash-dead-letters.ts"
import { Deduplication, deduplicationKey } from "./qstash-deduplication.ts"
import { QstashRefusal } from "./qstash-errors.ts"
import { EventLog } from "./qstash-events.ts"
import { messageFilter } from "./qstash-filter.ts"
import { FlowKeys } from "./qstash-flow.ts"
import { type CallbackOptions, LIMITS, type PublishOptions } from "./qstash-headers.ts"
import { DueHeap } from "./qstash-heap.ts"
import {
  DEFAULT_RETRIES,
  isNonRetryable,
  isSuccess,
  type Message,
  type Outcome,
  serializeCallback,
} from "./qstash-message.ts"
import { Queues } from "./qstash-queues.ts"
import { retryDelayMs } from "./qstash-retry.ts"
import { Schedules } from "./qstash-schedules.ts"

interface Publication {
  url: string
  options: PublishOptions
  body: Buffer
  queueName?: string | undefined
  scheduleId?: string | undefined
  source?: Message
}

export interface Receipt {
  messageId: string
  url: string
  deduplicated?: true
}

type Settlement = "delivered" | "retry" | "failed" | "canceled"

/** Messages from their acceptance to their end. Knows the time only as an argument and sends nothing itself. */
export class Broker {
  readonly events = new EventLog()
  readonly deadLetters = new DeadLetters()
  readonly flow = new FlowKeys()
  readonly schedules = new Schedules()
  readonly queues = new Queues((message) => this.schedule(message))
  private readonly messages = new Map<string, Message>()
  private readonly due = new DueHeap<Message>()
  private readonly deduplication = new Deduplication()
  private sequence = 0
  activeCount = 0
  readonly parallelism: number

  constructor(parallelism: number) {
    this.parallelism = parallelism
  }

  publish(publication: Publication, now: number): Receipt {
    const { url, options, body } = publication
    if (body.length > LIMITS.messageBytes) throw new QstashRefusal(413, "message size is over the limit of 1 MB")
    const key = deduplicationKey(url, options, body)
    const known = key && this.deduplication.find(key, now)
    if (known) return { messageId: known, url, deduplicated: true }
    const { messageId } = this.accept(publication, now)
    if (key) this.deduplication.remember(key, messageId, now)
    return { messageId, url }
  }

  /** Marks as active and returns every message whose turn it is. */
  takeDue(now: number): Message[] {
    for (const { schedule, time } of this.schedules.takeDue(now)) {
      const { url, options, body, scheduleId } = schedule
      const message = this.accept({ url, options, body, scheduleId, queueName: options.queueName }, time)
      this.schedules.setState(message, "IN_PROGRESS")
    }
    const taken: Message[] = []
    const hasRoom = () => this.activeCount < this.parallelism
    for (const message of this.flow.drain(now, hasRoom)) taken.push(this.start(message, now))
    for (let next = this.due.peek(); next && next.notBefore <= now && hasRoom(); next = this.due.peek()) {
      this.due.remove(next)
      if (this.queues.park(next)) continue
      if (this.flow.tryStart(next, now)) taken.push(this.start(next, now))
      else next.place = "limited"
    }
    return taken
  }

  /** When takeDue may next have something, ms; Infinity while it waits for a settlement. */
  nextDueMs(): number {
    if (this.activeCount >= this.parallelism) return this.schedules.nextDueMs()
    const first = this.due.peek()?.notBefore ?? Number.POSITIVE_INFINITY
    return Math.min(first, this.flow.nextWakeMs(), this.schedules.nextDueMs())
  }

  /** Ends an attempt: delivered, to be retried, or dead. */
  settle(message: Message, outcome: Outcome, now: number): Settlement {
    this.activeCount--
    this.flow.finish(message)
    const { callback, failureCallback, retryDelay } = message.options
    if (message.isCancelled) {
      this.events.add(now, "CANCELED", message)
      this.end(message)
      return "canceled"
    }
    if (isSuccess(outcome)) {
      this.events.add(now, "DELIVERED", message)
      if (callback) this.call(callback, message, outcome, now)
      this.schedules.setState(message, "SUCCESS")
      this.end(message)
      return "delivered"
    }
    this.events.add(now, "ERROR", message, { outcome })
    if (message.retried < message.maxRetries && !isNonRetryable(outcome)) {
      if (callback) this.call(callback, message, outcome, now)
      const { retried } = message
      message.notBefore = now + retryDelayMs({ retried, expression: retryDelay, headers: outcome.headers, nowMs: now })
      message.retried++
      this.events.add(now, "RETRY", message, { next: message.notBefore })
      this.schedule(message)
      return "retry"
    }
    const dlqId = this.deadLetters.add(message, outcome, now)
    this.events.add(now, "FAILED", message)
    if (callback) this.call(callback, message, outcome, now)
    if (failureCallback) this.call(failureCallback, message, outcome, now, dlqId)
    this.schedules.setState(message, "FAIL")
    this.end(message)
    return "failed"
  }

  /** A fresh message from a dead letter; `changes` are what the retrying request's own headers say. */
  republish(dlqId: string, changes: Partial<PublishOptions>, now: number): Receipt {
    const { message } = this.deadLetters.get(dlqId)
    this.deadLetters.delete(dlqId)
    const { url, body, queueName, scheduleId } = message
    const options = { ...message.options, delayMs: undefined, notBeforeMs: undefined, ...changes }
    const { messageId } = this.accept({ url, body, options, queueName, scheduleId }, now)
    return { messageId, url }
  }

  get(messageId: string): Message {
    const message = this.messages.get(messageId)
    if (!message || message.isCancelled) throw new QstashRefusal(404, `message ${messageId} not found`)
    return message
  }

  /** Takes the message out; an attempt under way is left to end, without retries. */
  cancel(message: Message, now: number): void {
    message.isCancelled = true
    this.events.add(now, "CANCEL_REQUESTED", message)
    if (message.place === "active") return
    this.events.add(now, "CANCELED", message)
    this.end(message)
  }

  /** All that match, whatever `count` says: the service ignores it (SDK, Messages.cancel). */
  cancelMany(query: URLSearchParams, now: number): number {
    const matches = messageFilter(query)
    const chosen = [...this.messages.values()].filter((message) => !message.isCancelled && matches(message))
    for (const message of chosen) this.cancel(message, now)
    return chosen.length
  }

  deleteQueue(name: string, now: number): void {
    for (const message of this.queues.delete(name)) if (message.place !== "over") this.cancel(message, now)
  }

  /** Accepted messages that are not with the receiver, in order of time. */
  pending(): Message[] {
    const waiting = [...this.messages.values()].filter(({ place }) => place !== "active")
    return waiting.sort((a, b) => a.notBefore - b.notBefore || a.sequence - b.sequence)
  }

  private accept({ url, options, body, queueName, scheduleId, source }: Publication, now: number): Message {
    const message: Message = {
      messageId: `msg_${randomUUID().replaceAll("-", "")}`,
      url,
      method: options.method ?? "POST",
      body,
      options,
      createdAt: now,
      maxRetries: options.retries ?? DEFAULT_RETRIES,
      queueName,
      scheduleId,
      source,
      notBefore: options.notBeforeMs ?? now + (options.delayMs ?? 0),
      sequence: this.sequence++,
      heapIndex: -1,
      retried: 0,
      place: "scheduled",
      isCancelled: false,
      openCallbacks: 0,
    }
    this.messages.set(message.messageId, message)
    if (options.flowControl) this.flow.configure(options.flowControl)
    this.events.add(now, "CREATED", message, { next: message.notBefore })
    if (queueName === undefined) this.schedule(message)
    else this.queues.add(queueName, message, now)
    return message
  }

  private schedule(message: Message): void {
    message.place = "scheduled"
    this.due.push(message)
  }

  private start(message: Message, now: number): Message {
    message.place = "active"
    this.activeCount++
    this.events.add(now, "ACTIVE", message)
    return message
  }

  private call(to: CallbackOptions, source: Message, outcome: Outcome, now: number, dlqId?: string): void {
    const options: PublishOptions = {
      ...to,
      retries: to.retries ?? source.maxRetries,
      retryDelay: to.retryDelay ?? source.options.retryDelay,
      callback: undefined,
      failureCallback: undefined,
      deduplicationId: undefined,
      isContentDeduplicated: false,
      cron: undefined,
      scheduleId: undefined,
      queueName: undefined,
    }
    source.openCallbacks++
    this.accept({ url: to.url, options, body: serializeCallback(source, outcome, dlqId), source }, now)
  }

  private end(message: Message): void {
    message.place = "over"
    this.messages.delete(message.messageId)
    this.due.remove(message)
    this.flow.forget(message)
    if (message.openCallbacks === 0) this.queues.release(message)
    const { source } = message
    if (!source) return
    source.openCallbacks--
    if (source.place === "over" && source.openCallbacks === 0) this.queues.release(source)
  }
}
