import { canonicalName, type MessageOptions, type PublishOptions } from "./qstash-headers.ts"
import type { Due } from "./qstash-heap.ts"

export const DEFAULT_RETRIES = 3
export const CALLER_IP = "127.0.0.1"

/** Where a message stands: behind its queue, behind its time, behind flow control, with the receiver, or over. */
type Place = "queued" | "scheduled" | "limited" | "active" | "over"

export interface Message extends Due {
  readonly messageId: string
  readonly url: string
  readonly method: string
  readonly body: Buffer
  readonly options: PublishOptions
  readonly createdAt: number
  readonly maxRetries: number
  readonly queueName: string | undefined
  readonly scheduleId: string | undefined
  /** The message this one is a callback of: a queue's next message waits for callbacks too. */
  readonly source: Message | undefined
  retried: number
  place: Place
  isCancelled: boolean
  openCallbacks: number
}

/** The end of one attempt. A lost one (no connection, timeout) has status 0 and says why. */
export interface Outcome {
  status: number
  /** Lower-case names. */
  headers: Record<string, string[]>
  body: Buffer
  error: string | undefined
}

export interface DeadLetter {
  dlqId: string
  message: Message
  outcome: Outcome
  failedAt: number
}

export function lostOutcome(error: string): Outcome {
  return { status: 0, headers: {}, body: Buffer.from(error), error }
}

export function isSuccess(outcome: Outcome): boolean {
  return outcome.status >= 200 && outcome.status < 300
}

export function isNonRetryable(outcome: Outcome): boolean {
  return outcome.status === 489 && outcome.headers["upstash-nonretryable-error"]?.[0] === "true"
}

export function serializeMessage(message: Message): Record<string, unknown> {
  const { options } = message
  return {
    messageId: message.messageId,
    url: message.url,
    method: message.method,
    header: options.headers,
    ...serializeBody("body", message.body),
    maxRetries: message.maxRetries,
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    callback: options.callback?.url,
    failureCallback: options.failureCallback?.url,
    queueName: message.queueName,
    scheduleId: message.scheduleId,
    callerIP: CALLER_IP,
    ...serializeSettings(options),
  }
}

export function serializeDeadLetter({ dlqId, message, outcome }: DeadLetter): Record<string, unknown> {
  return {
    ...serializeMessage(message),
    dlqId,
    responseStatus: outcome.status,
    responseHeader: canonicalHeaders(outcome.headers),
    ...serializeBody("responseBody", outcome.body),
  }
}

/** The fields that messages, schedules and log entries show alike. */
export function serializeSettings(options: MessageOptions): Record<string, unknown> {
  const { flowControl, label } = options
  return {
    retryDelayExpression: options.retryDelay,
    label,
    labels: label?.split(",").map((one) => one.trim()),
    flowControlKey: flowControl?.key,
    parallelism: flowControl?.parallelism,
    rate: flowControl?.rate,
    period: flowControl?.rate === undefined ? undefined : flowControl.periodMs / 1000,
  }
}

/** The JSON that a callback or failure callback receives about one attempt. */
export function serializeCallback(message: Message, outcome: Outcome, dlqId: string | undefined): Buffer {
  const facts = {
    status: outcome.status,
    header: canonicalHeaders(outcome.headers),
    body: outcome.body.toString("base64"),
    retried: message.retried,
    maxRetries: message.maxRetries,
    dlqId,
    sourceMessageId: message.messageId,
    url: message.url,
    method: message.method,
    sourceHeader: message.options.headers,
    sourceBody: message.body.toString("base64"),
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    scheduleId: message.scheduleId,
    callerIP: CALLER_IP,
  }
  return Buffer.from(JSON.stringify(facts))
}

export function canonicalHeaders(headers: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [canonicalName(name), values]))
}

/** `<name>` when the bytes are UTF-8 text, `<name>Base64` when they are not. */
export function serializeBody(name: string, body: Buffer): Record<string, string> {
  try {
    return { [name]: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body) }
  } catch {
    return { [`${name}Base64`]: body.toString("base64") }
  }
}
