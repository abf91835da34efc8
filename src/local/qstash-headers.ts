import { parseDuration } from "./qstash-duration.ts"
import { QstashRefusal } from "./qstash-errors.ts"
import { compileExpression } from "./qstash-expression.ts"

export type RequestHeaders = Record<string, string | undefined>

export interface FlowControl {
  key: string
  parallelism: number | undefined
  rate: number | undefined
  periodMs: number
}

/** What the Upstash-* headers of one request ask for; undefined means not said. */
export interface MessageOptions {
  method: string | undefined
  /** Content-Type and the forwarded headers, canonical names. */
  headers: Record<string, string[]>
  retries: number | undefined
  retryDelay: string | undefined
  timeoutMs: number | undefined
  delayMs: number | undefined
  notBeforeMs: number | undefined
  label: string | undefined
  flowControl: FlowControl | undefined
}

export interface CallbackOptions extends MessageOptions {
  url: string
}

export interface PublishOptions extends MessageOptions {
  callback: CallbackOptions | undefined
  failureCallback: CallbackOptions | undefined
  deduplicationId: string | undefined
  isContentDeduplicated: boolean
  cron: string | undefined
  scheduleId: string | undefined
  queueName: string | undefined
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
const FORWARD = "upstash-forward-"
/** Owned by the connection, never by the message. */
const CONNECTION_HEADERS = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]
export const LIMITS = { delayMs: 365 * 86_400_000, timeoutMs: 2 * 3_600_000, messageBytes: 1024 * 1024 }

/** Reads a publish, enqueue, batch or schedule request's headers (lower-case names). Refuses with 400. */
export function parsePublishOptions(headers: RequestHeaders): PublishOptions {
  return {
    ...parseMessageOptions(headers),
    callback: parseCallback("upstash-callback", headers),
    failureCallback: parseCallback("upstash-failure-callback", headers),
    deduplicationId: headers["upstash-deduplication-id"],
    isContentDeduplicated: headers["upstash-content-based-deduplication"] === "true",
    cron: headers["upstash-cron"],
    scheduleId: headers["upstash-schedule-id"],
    queueName: headers["upstash-queue-name"],
  }
}

/** The destination as it was written, because the signature's `sub` is that text. Refuses with 400 or 404. */
export function parseDestination(raw: string): string {
  const text = /^https?%3a/i.test(raw) ? decodeDestination(raw) : raw
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) throw new QstashRefusal(400, `invalid destination url: ${text}`)
    return text
  }
  if (/^[\w-]+$/.test(text)) throw new QstashRefusal(404, `url group ${text} not found`)
  throw new QstashRefusal(400, "invalid destination url: endpoint has invalid scheme, add http:// or https://")
}

/** "my-header" as "My-Header", the way the real service shows names. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}

export function parseQueueName(name: string): string {
  if (!/^[A-Za-z0-9._-]+$/.test(name)) throw new QstashRefusal(400, `invalid queue name: ${name}`)
  return name
}

function parseMessageOptions(headers: RequestHeaders): MessageOptions {
  const expression = headers["upstash-retry-delay"]
  if (expression !== undefined) checkExpression(expression)
  return {
    method: parseMethod(headers["upstash-method"]),
    headers: parseForwarded(headers),
    retries: parseWhole("Upstash-Retries", headers["upstash-retries"]),
    retryDelay: expression,
    timeoutMs: parseLimited("Upstash-Timeout", headers["upstash-timeout"], LIMITS.timeoutMs),
    delayMs: parseLimited("Upstash-Delay", headers["upstash-delay"], LIMITS.delayMs),
    notBeforeMs: parseSeconds("Upstash-Not-Before", headers["upstash-not-before"]),
    label: headers["upstash-label"],
    flowControl: parseFlowControl(headers["upstash-flow-control-key"], headers["upstash-flow-control-value"]),
  }
}

/** A callback's options are a message's with a longer prefix: strip it and read them the same way. */
function parseCallback(name: string, headers: RequestHeaders): CallbackOptions | undefined {
  const url = headers[name]
  if (url === undefined) return undefined
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new QstashRefusal(400, `invalid ${name} url: ${url}`)
  const own: RequestHeaders = { "content-type": "application/json" }
  for (const [header, value] of Object.entries(headers)) {
    if (header.startsWith(`${name}-`)) own[`upstash-${header.slice(name.length + 1)}`] = value
  }
  return { ...parseMessageOptions(own), url }
}

function parseForwarded(headers: RequestHeaders): Record<string, string[]> {
  const forwarded: Record<string, string[]> = {}
  const contentType = headers["content-type"]
  if (contentType !== undefined) forwarded["Content-Type"] = [contentType]
  for (const [header, value] of Object.entries(headers)) {
    if (value === undefined || !header.startsWith(FORWARD)) continue
    const name = header.slice(FORWARD.length)
    if (name && !CONNECTION_HEADERS.includes(name)) forwarded[canonicalName(name)] = [value]
  }
  return forwarded
}

function parseFlowControl(key: string | undefined, value: string | undefined): FlowControl | undefined {
  if (key === undefined && value === undefined) return undefined
  if (!key || !value) throw new QstashRefusal(400, "flow control needs both a key and a value")
  const pairs = value.split(",").map((pair) => pair.split("=").map((side) => side.trim()))
  const parts = Object.fromEntries(pairs.map(([name, amount]) => [name, amount])) as RequestHeaders
  const unknown = Object.keys(parts).find((name) => !["parallelism", "rate", "period"].includes(name))
  if (unknown !== undefined) throw new QstashRefusal(400, `unknown flow control value: ${unknown}`)
  const parallelism = parseWhole("parallelism", parts.parallelism)
  const rate = parseWhole("rate", parts.rate)
  if (parallelism === undefined && rate === undefined) {
    throw new QstashRefusal(400, "flow control needs parallelism or rate")
  }
  if (parallelism === 0 || rate === 0) throw new QstashRefusal(400, "flow control limits must be greater than 0")
  return { key, parallelism, rate, periodMs: parsePeriod(parts.period) }
}

/** "60s" or plain seconds; one second when not said. */
export function parsePeriod(text: string | undefined): number {
  if (text === undefined) return 1000
  const period = /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text)
  if (!period) throw new QstashRefusal(400, `invalid flow control period: ${text}`)
  return period
}

function parseMethod(method: string | undefined): string | undefined {
  if (method === undefined || METHODS.includes(method.toUpperCase())) return method?.toUpperCase()
  throw new QstashRefusal(400, `invalid Upstash-Method: ${method}`)
}

export function parseWhole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new QstashRefusal(400, `invalid ${name}: ${text}`)
  return Number(text)
}

function parseSeconds(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,12}$/.test(text)) throw new QstashRefusal(400, `invalid ${name}: ${text}`)
  return Number(text) * 1000
}

function parseLimited(name: string, text: string | undefined, limitMs: number): number | undefined {
  if (text === undefined) return undefined
  const duration = parseDuration(text)
  if (duration === undefined) throw new QstashRefusal(400, `invalid ${name}: ${text}`)
  if (duration > limitMs) throw new QstashRefusal(400, `${name} is over the limit of ${limitMs / 1000}s`)
  return duration
}

function checkExpression(expression: string): void {
  try {
    compileExpression(expression)
  } catch (error) {
    throw new QstashRefusal(
      400,
      `invalid Upstash-Retry-Delay: ${error instanceof Error ? error.message : "unreadable"}`,
    )
  }
}

function decodeDestination(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw new QstashRefusal(400, `invalid destination url: ${raw}`)
  }
}
