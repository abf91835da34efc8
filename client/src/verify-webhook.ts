import { WebhookVerificationError } from "./errors.ts"
import type { FeedEvent } from "./operations.ts"
import { systemRuntime } from "./runtime.ts"

/** An event that is posted to your server. `type` tells the kinds apart. Ignore types that you do not know. */
export type WebhookEvent = FeedEvent

/** The headers of a Request or of Node's IncomingMessage, or any plain object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Record<string, string | readonly string[] | undefined>

/** Options of the verification. */
export interface VerifyOptions {
  /** The maximum difference in seconds between the message's time and this machine's. Default 300. */
  toleranceSeconds?: number | undefined
  /** The current time. Default: the time of this machine. */
  now?: Date | undefined
}

/**
 * The event of a message that is signed with one of the secrets (Standard Webhooks, scheme v1: HMAC-SHA256 of
 * `id.timestamp.body`). Throws WebhookVerificationError otherwise. `body` must be the raw bytes.
 *
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers, [newSecret, oldSecret])
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string]
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  const nowSeconds = (now?.getTime() ?? systemRuntime.now()) / 1000
  if (!(Math.abs(nowSeconds - seconds) <= toleranceSeconds))
    throw refused("webhook-timestamp is too far from the current time")
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  if (!ArrayBuffer.isView(bytes)) {
    throw new TypeError(
      "verifyWebhook: pass the raw body as text or bytes. The signature does not cover a parsed body.",
    )
  }
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const candidates = signatures.split(" ").flatMap((entry) => (entry.startsWith("v1,") ? [decode(entry.slice(3))] : []))
  const secrets = typeof secret === "string" ? [secret] : secret
  if (secrets.length === 0) throw new TypeError("verifyWebhook: pass at least one secret.")
  for (const one of secrets) {
    const key = await keyOf(one)
    for (const candidate of candidates) {
      // Compares in constant time.
      if (candidate && (await crypto.subtle.verify("HMAC", key, candidate, signed))) return parse(bytes)
    }
  }
  throw refused("no signature matches this secret and this body")
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const text = findHeader(headers, name)
  if (!text) throw refused(`the header ${name} is missing`)
  return text
}

/** The value of a header; undefined if it is missing or repeated. `name` is in small letters. */
export function findHeader(headers: WebhookHeaders, name: string): string | undefined {
  const value = isReadable(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === "string" ? value : value?.length === 1 ? value[0] : undefined
}

function isReadable(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function"
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = decode(secret.trim().replace(/^whsec_/, ""))
  if (!bytes || bytes.length === 0)
    throw new TypeError("verifyWebhook: this is not a secret. A secret is whsec_ and base64.")
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    return null
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

function parse(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
  } catch (cause) {
    throw refused("the body is not JSON", cause)
  }
}

function refused(reason: string, cause?: unknown): WebhookVerificationError {
  return new WebhookVerificationError(`The webhook is not verified: ${reason}.`, {
    code: "WEBHOOK_VERIFICATION_FAILED",
    cause,
  })
}
