/** An error of the stand-in: the status, and the text of `{"error"}` in the response. */
export class QstashRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = "QstashRefusal"
    this.status = status
  }
}

export type RequestHeaders = Record<string, string | undefined>

/** How many messages with this key may be delivered at once. */
export interface FlowControl {
  key: string
  parallelism: number
}

/** The options in the headers of one message. Times are in milliseconds. */
export interface PublishOptions {
  contentType: string | undefined
  retries: number
  delayMs: number
  flowControl: FlowControl | undefined
  deduplicationId: string | undefined
}

export const LIMITS = { delayMs: 365 * 86_400_000, timeoutMs: 2 * 3_600_000, messageBytes: 1024 * 1024 }
const DEFAULT_RETRIES = 3

/** The headers that src/platform/queue.ts sends. */
const KNOWN = new Set([
  "upstash-method",
  "upstash-retries",
  "upstash-delay",
  "upstash-deduplication-id",
  "upstash-flow-control-key",
  "upstash-flow-control-value",
])

/**
 * Reads the headers of a message (lower-case names). Rejects with 400 also options that only the real QStash supports.
 */
export function parsePublishOptions(headers: RequestHeaders): PublishOptions {
  for (const name in headers) {
    if (name.startsWith("upstash-") && !KNOWN.has(name)) {
      throw new QstashRefusal(400, `${name} is not supported by the stand-in`)
    }
  }
  const method = headers["upstash-method"] ?? "POST"
  if (method !== "POST") throw new QstashRefusal(400, `the method ${method} is not supported by the stand-in`)
  return {
    contentType: headers["content-type"],
    retries: parseWhole("Upstash-Retries", headers["upstash-retries"]) ?? DEFAULT_RETRIES,
    delayMs: parseDelay(headers["upstash-delay"]),
    flowControl: parseFlowControl(headers["upstash-flow-control-key"], headers["upstash-flow-control-value"]),
    deduplicationId: headers["upstash-deduplication-id"],
  }
}

/** Returns the destination unchanged, because it is the `sub` of the signature. Rejects an invalid one with 400. */
export function parseDestination(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  throw new QstashRefusal(400, `invalid destination url: ${text}: it must begin with http:// or https://`)
}

/** "parallelism=5" */
function parseFlowControl(key: string | undefined, value: string | undefined): FlowControl | undefined {
  if (key === undefined && value === undefined) return undefined
  const parallelism = Number(/^parallelism=([1-9]\d{0,8})$/.exec(value ?? "")?.[1])
  if (key && parallelism) return { key, parallelism }
  throw new QstashRefusal(
    400,
    `invalid flow control ${key}: ${value}: the stand-in supports a key with "parallelism=n" only`,
  )
}

function parseWhole(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,12}$/.test(text)) throw new QstashRefusal(400, `invalid ${name}: ${text}`)
  return Number(text)
}

/** "90s" */
function parseDelay(text: string | undefined): number {
  if (text === undefined) return 0
  const seconds = Number(/^(\d{1,9})s$/.exec(text)?.[1] ?? Number.NaN)
  if (seconds * 1000 <= LIMITS.delayMs) return seconds * 1000
  throw new QstashRefusal(400, `invalid Upstash-Delay: ${text}`)
}
