/** A refusal of the stand-in: the status and the text that go out as `{"error"}`. */
export class QstashRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = "QstashRefusal"
    this.status = status
  }
}

export type RequestHeaders = Record<string, string | undefined>

export interface FlowControl {
  key: string
  parallelism: number | undefined
  rate: number | undefined
  periodMs: number
}

/** The options in the Upstash-* headers of one request. */
interface MessageOptions {
  method: string
  /** Content-Type and the forwarded headers, canonical names. */
  headers: Record<string, string>
  retries: number
  timeoutMs: number
  delayMs: number
  notBeforeMs: number | undefined
  flowControl: FlowControl | undefined
}

export interface CallbackOptions extends MessageOptions {
  url: string
}

export interface PublishOptions extends MessageOptions {
  callback?: CallbackOptions | undefined
  failureCallback?: CallbackOptions | undefined
  deduplicationId?: string | undefined
}

export const LIMITS = { delayMs: 365 * 86_400_000, timeoutMs: 2 * 3_600_000, messageBytes: 1024 * 1024 }
const DEFAULT_RETRIES = 3
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
const FORWARD = "upstash-forward-"
const CALLBACK = "upstash-callback"
const FAILURE_CALLBACK = "upstash-failure-callback"
/** Of a message and, behind their prefixes, of its callbacks. */
const SETTINGS = new Set([
  ...["upstash-method", "upstash-retries", "upstash-timeout", "upstash-delay", "upstash-not-before"],
  ...["upstash-flow-control-key", "upstash-flow-control-value"],
])
/** Owned by the connection, never by the message. */
const CONNECTION_HEADERS = new Set([
  ...["connection", "content-length", "expect", "host", "keep-alive"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
])

/** Reads a publish or enqueue request's headers (lower-case names). Refuses with 400, also what QStash can and this cannot. */
export function parsePublishOptions(headers: RequestHeaders): PublishOptions {
  const own: RequestHeaders = { "content-type": headers["content-type"] }
  const callback: RequestHeaders = {}
  const failureCallback: RequestHeaders = {}
  for (const name in headers) {
    if (!name.startsWith("upstash-")) continue
    if (name.startsWith(CALLBACK)) callback[`upstash${name.slice(CALLBACK.length)}`] = headers[name]
    else if (name.startsWith(FAILURE_CALLBACK)) {
      failureCallback[`upstash${name.slice(FAILURE_CALLBACK.length)}`] = headers[name]
    } else if (name !== "upstash-deduplication-id" && !name.startsWith("upstash-telemetry-")) own[name] = headers[name]
  }
  const options = parseMessageOptions(own, DEFAULT_RETRIES)
  return {
    ...options,
    callback: parseCallback(callback, options.retries),
    failureCallback: parseCallback(failureCallback, options.retries),
    deduplicationId: headers["upstash-deduplication-id"],
  }
}

/** The destination as it was written, because the signature's `sub` is that text. Refuses with 400. */
export function parseDestination(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new QstashRefusal(400, `invalid destination url: ${text}: it has to begin with http:// or https://`)
}

export function parseQueueName(name: string): string {
  if (!/^[A-Za-z0-9._-]+$/.test(name)) throw new QstashRefusal(400, `invalid queue name: ${name}`)
  return name
}

function parseMessageOptions(headers: RequestHeaders, retries: number): MessageOptions {
  const forwarded: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || SETTINGS.has(name)) continue
    if (name === "content-type") forwarded["Content-Type"] = value
    else if (name.startsWith(FORWARD)) {
      const own = name.slice(FORWARD.length)
      if (!CONNECTION_HEADERS.has(own)) forwarded[canonicalName(own)] = value
    } else throw new QstashRefusal(400, `${name} is not supported by the stand-in`)
  }
  const notBefore = parseWhole("Upstash-Not-Before", headers["upstash-not-before"])
  return {
    method: parseMethod(headers["upstash-method"]),
    headers: forwarded,
    retries: parseWhole("Upstash-Retries", headers["upstash-retries"]) ?? retries,
    timeoutMs: parseLimited("Upstash-Timeout", headers["upstash-timeout"], LIMITS.timeoutMs) ?? LIMITS.timeoutMs,
    delayMs: parseLimited("Upstash-Delay", headers["upstash-delay"], LIMITS.delayMs) ?? 0,
    notBeforeMs: notBefore && notBefore * 1000,
    flowControl: parseFlowControl(headers["upstash-flow-control-key"], headers["upstash-flow-control-value"]),
  }
}

/** A callback's options are a message's with a longer prefix, which is gone; its URL stands under what is left. */
function parseCallback({ upstash: url, ...headers }: RequestHeaders, retries: number): CallbackOptions | undefined {
  if (url === undefined) return undefined
  const options = parseMessageOptions({ "content-type": "application/json", ...headers }, retries)
  return { ...options, url: parseDestination(url) }
}

/** "parallelism=5, rate=10, period=60s" */
function parseFlowControl(key: string | undefined, value: string | undefined): FlowControl | undefined {
  if (key === undefined && value === undefined) return undefined
  if (!key || !value) throw new QstashRefusal(400, "flow control needs both a key and a value")
  const pairs = value.split(",").map((pair) => pair.split("=").map((side) => side.trim()))
  const { parallelism: parallel, rate: perPeriod, period, ...unknown } = Object.fromEntries(pairs) as RequestHeaders
  for (const name in unknown) throw new QstashRefusal(400, `unknown flow control value: ${name}`)
  const parallelism = parseWhole("parallelism", parallel)
  const rate = parseWhole("rate", perPeriod)
  if (parallelism === undefined && rate === undefined) {
    throw new QstashRefusal(400, "flow control needs parallelism or rate")
  }
  const periodMs = period === undefined ? 1000 : parseDuration(/^\d+$/.test(period) ? `${period}s` : period)
  if (parallelism === 0 || rate === 0 || !periodMs) throw new QstashRefusal(400, `invalid flow control: ${value}`)
  return { key, parallelism, rate, periodMs }
}

function parseMethod(method = "POST"): string {
  if (METHODS.includes(method.toUpperCase())) return method.toUpperCase()
  throw new QstashRefusal(400, `invalid Upstash-Method: ${method}`)
}

function parseWhole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,12}$/.test(text)) throw new QstashRefusal(400, `invalid ${name}: ${text}`)
  return Number(text)
}

function parseLimited(name: string, text: string | undefined, limitMs: number): number | undefined {
  if (text === undefined) return undefined
  const duration = parseDuration(text)
  if (duration === undefined) throw new QstashRefusal(400, `invalid ${name}: ${text}`)
  if (duration > limitMs) throw new QstashRefusal(400, `${name} is over the limit of ${limitMs / 1000}s`)
  return duration
}

/** "1d10h30m5s" as milliseconds; undefined when malformed. */
function parseDuration(text: string): number | undefined {
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text)
  if (!parts || text === "") return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
}

/** "my-header" as "My-Header", the way the real service shows names. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
}
