import { canonicalName, type PublishOptions } from "./qstash-headers.ts"

export const CALLER_IP = "127.0.0.1"

export interface QstashMessage {
  readonly messageId: string
  readonly url: string
  readonly body: Buffer
  readonly options: PublishOptions
  readonly createdAt: number
  readonly queueName: string | undefined
  /** The message this one is a callback of: a queue's next message waits for callbacks too. */
  readonly source: QstashMessage | undefined
  /** Of two that are due at the same moment the one that came first goes first. */
  readonly sequence: number
  /** Milliseconds since the epoch; of the next attempt. */
  notBefore: number
  retried: number
  isActive: boolean
  isOver: boolean
  openCallbacks: number
}

/** The end of one attempt. A lost one (no connection, timeout) has status 0, and its body says why. */
export interface DeliveryOutcome {
  status: number
  /** Lower-case names. */
  headers: Record<string, string[]>
  body: Buffer
}

export interface DeadLetter {
  dlqId: string
  message: QstashMessage
  outcome: DeliveryOutcome
  failedAt: number
}

export function lostOutcome(reason: string): DeliveryOutcome {
  return { status: 0, headers: {}, body: Buffer.from(reason) }
}

export function serializeDeadLetter({ dlqId, message, outcome }: DeadLetter): Record<string, unknown> {
  const { options } = message
  return {
    dlqId,
    messageId: message.messageId,
    url: message.url,
    method: options.method,
    header: listed(options.headers),
    body: message.body.toString(),
    maxRetries: options.retries,
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    queueName: message.queueName,
    flowControlKey: options.flowControl?.key,
    callerIP: CALLER_IP,
    responseStatus: outcome.status,
    responseHeader: canonicalHeaders(outcome.headers),
    responseBody: outcome.body.toString(),
  }
}

/** The JSON that a callback or failure callback receives about one attempt. */
export function serializeCallback(message: QstashMessage, outcome: DeliveryOutcome, dlqId: string | undefined): Buffer {
  const { options } = message
  const facts = {
    status: outcome.status,
    header: canonicalHeaders(outcome.headers),
    body: outcome.body.toString("base64"),
    retried: message.retried,
    maxRetries: options.retries,
    dlqId,
    sourceMessageId: message.messageId,
    url: message.url,
    method: options.method,
    sourceHeader: listed(options.headers),
    sourceBody: message.body.toString("base64"),
    notBefore: message.notBefore,
    createdAt: message.createdAt,
    callerIP: CALLER_IP,
  }
  return Buffer.from(JSON.stringify(facts))
}

function canonicalHeaders(headers: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [canonicalName(name), values]))
}

function listed(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
}
