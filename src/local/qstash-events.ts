import { listed, messageFilter, pageSize } from "./qstash-filter.ts"
import { canonicalHeaders, type Message, type Outcome, serializeSettings } from "./qstash-message.ts"

type EventState = "CREATED" | "ACTIVE" | "RETRY" | "ERROR" | "DELIVERED" | "FAILED" | "CANCEL_REQUESTED" | "CANCELED"

interface LogEvent {
  sequence: number
  time: number
  state: EventState
  message: Message
  outcome: Outcome | undefined
  nextDeliveryTime: number | undefined
}

/** Entries keep their message alive, so the log is short and leaves large bodies out. */
const MAX_EVENTS = 2000
const MAX_BODY_BYTES = 16 * 1024
const NO_BODY = Buffer.alloc(0)

/** The log behind /v2/events and /v2/logs: the newest entries only. */
export class EventLog {
  private entries: LogEvent[] = []
  private sequence = 0

  add(time: number, state: EventState, message: Message, detail: { outcome?: Outcome; next?: number } = {}): void {
    this.entries.push({
      sequence: ++this.sequence,
      time,
      state,
      message: message.body.length > MAX_BODY_BYTES ? { ...message, body: NO_BODY, source: undefined } : message,
      outcome: detail.outcome && withoutLargeBody(detail.outcome),
      nextDeliveryTime: detail.next,
    })
    if (this.entries.length >= 2 * MAX_EVENTS) this.entries = this.entries.slice(-MAX_EVENTS)
  }

  /** Newest first; the cursor is the sequence number of the last entry of a full page. */
  page(query: URLSearchParams): { cursor: string | undefined; events: unknown[] } {
    const before = Number(query.get("cursor") || Number.POSITIVE_INFINITY)
    const count = pageSize(query)
    const states = listed(query, "state")
    const matches = messageFilter(query)
    const found = this.entries
      .slice(-MAX_EVENTS)
      .filter((event) => event.sequence < before && matches(event.message))
      .filter((event) => states.length === 0 || states.includes(event.state))
      .reverse()
    const page = found.slice(0, count)
    const last = page.at(-1)
    const cursor = found.length > count && last ? String(last.sequence) : undefined
    return { cursor, events: page.map(serializeEvent) }
  }
}

function withoutLargeBody(outcome: Outcome): Outcome {
  return outcome.body.length > MAX_BODY_BYTES ? { ...outcome, body: NO_BODY } : outcome
}

function serializeEvent({ time, state, message, outcome, nextDeliveryTime }: LogEvent): Record<string, unknown> {
  const { options } = message
  return {
    time,
    state,
    messageId: message.messageId,
    url: message.url,
    method: message.method,
    header: options.headers,
    body: message.body.toString("base64"),
    nextDeliveryTime,
    queueName: message.queueName,
    scheduleId: message.scheduleId,
    error: outcome && (outcome.error ?? `unexpected status: ${outcome.status}`),
    responseStatus: outcome?.status,
    responseHeaders: outcome && canonicalHeaders(outcome.headers),
    responseBody: outcome?.body.toString("base64"),
    timeout: options.timeoutMs,
    callback: options.callback?.url,
    callbackHeaders: options.callback?.headers,
    failureCallback: options.failureCallback?.url,
    failureCallbackHeaders: options.failureCallback?.headers,
    maxRetries: message.maxRetries,
    ...serializeSettings(options),
  }
}
