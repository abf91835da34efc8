import type { Context } from "../actor/context.ts"
import { plainJson } from "../base/plain-json.ts"
import { storable } from "../base/storable.ts"
import { describeError } from "../platform/log.ts"
import { type NetworkFault, wordsOfFault } from "../platform/network-fault.ts"
import type { Outbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import type { ClaimedDelivery } from "./claim-deliveries.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { serializeEvent } from "./event-payload.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { signatureHeaders } from "./signing.ts"

export interface DispatchContext extends Context {
  readonly outbound: Outbound
}

/** The result of one attempt. */
export interface Attempt {
  delivery_id: string
  epoch: number
  ok: boolean
  status: number | null
  error: string | null
  answer: string | null
  location: string | null
  duration_ms: number
  at: Date
  /** Null when the delivery is over, delivered or failed. */
  next_attempt_at: Date | null
}

/** Posts an event to its endpoint, signed for this moment. 2xx within `timeoutMs` is success; a redirect is not followed. */
export async function attemptDelivery(
  ctx: DispatchContext,
  { endpoint, secrets }: { endpoint: Pick<EndpointRow, "url">; secrets: string[] },
  { delivery_id, epoch, round, event }: ClaimedDelivery,
): Promise<Attempt> {
  const at = ctx.clock.now()
  const body = plainJson(serializeEvent(event))
  const answer = await post(ctx, endpoint.url, {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Turnpike-Webhooks",
      ...(await signatureHeaders(secrets, { id: event.event_id, at, body })),
    },
  })
  const ended = ctx.clock.now()
  const { status, error, location } = answer
  const ok = status !== null && status >= 200 && status < 300
  const retryAfterMs = parseRetryAfter(answer.retryAfter, ended)
  return {
    delivery_id,
    epoch,
    ok,
    status,
    error,
    answer: answer.text,
    location,
    duration_ms: ended.getTime() - at.getTime(),
    at,
    next_attempt_at: ok ? null : nextAttemptAt({ round, at: ended, retryAfterMs }, ctx.random),
  }
}

const UNKNOWN = "The event could not be sent: something went wrong on our side."

interface Answer {
  status: number | null
  error: string | null
  location: string | null
  text: string | null
  retryAfter: string | null
}

async function post(
  ctx: DispatchContext,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<Answer> {
  try {
    const response = await ctx.outbound.send({
      url,
      method: "POST",
      headers,
      body,
      timeoutMs: WEBHOOK_POLICY.timeoutMs,
      maxBytes: Number.POSITIVE_INFINITY,
      maxRedirects: 0,
    })
    const { status } = response
    return {
      status,
      error: whyNoSuccess(response),
      location: locationOf(response),
      text: await beginningOf(response),
      retryAfter: response.headers.get("retry-after"),
    }
  } catch (error) {
    // Any error is the result of this attempt alone; the run's other attempts are recorded too.
    const known = error instanceof OutboundError
    if (!known) ctx.log("error", "webhook.attempt_broke", { error: describeError(error) })
    return { status: null, error: known ? error.message : UNKNOWN, location: null, text: null, retryAfter: null }
  }
}

const MAX_LOCATION = 1000

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

function locationOf({ status, headers }: Response): string | null {
  const location = isRedirect(status) ? headers.get("location") : null
  return location && storable(location).slice(0, MAX_LOCATION)
}

/** What a status means that is no success: of a redirect, and of Cloudflare's own. */
function whyNoSuccess({ status, headers }: Response): string | null {
  if (isRedirect(status)) {
    return "The endpoint redirects, which is not followed: register the URL that it leads to."
  }
  const fault = headers.get("server") === "cloudflare" ? EDGE_FAULTS[status] : undefined
  return fault ? `Cloudflare did not reach the server: ${wordsOfFault(fault)}.` : null
}

/** The statuses with which Cloudflare's network answers for a server that it cannot ask. */
const EDGE_FAULTS: Record<number, NetworkFault> = {
  520: "protocol",
  521: "refused",
  522: "timeout",
  523: "unreachable",
  525: "tls",
  526: "tls",
  530: "dns",
}

/** The first KiB of a body, or as much as came before it broke off. The status has decided already. */
async function beginningOf(response: Response): Promise<string> {
  const kept = new Uint8Array(WEBHOOK_POLICY.answerBytes)
  let length = 0
  const reader = response.body?.getReader()
  try {
    while (reader && length < kept.length) {
      const { done, value } = await reader.read()
      if (done) break
      const part = value.subarray(0, kept.length - length)
      kept.set(part, length)
      length += part.length
    }
  } catch {
    // Keep what has come so far.
  } finally {
    reader?.cancel().catch(() => {})
  }
  return storable(new TextDecoder().decode(kept.subarray(0, length)))
}

/**
 * When to try again after an attempt that failed at `at`, or null when it was the last one. `round` counts the attempts before it. The
 * wait is the schedule's ± its jitter, or longer if Retry-After asks for it.
 */
function nextAttemptAt(
  { round, at, retryAfterMs }: { round: number; at: Date; retryAfterMs: number | null },
  random: () => number,
): Date | null {
  const wait = WEBHOOK_POLICY.retryAfterMs[round]
  if (wait === undefined) return null
  const jittered = wait * (1 + WEBHOOK_POLICY.jitter * (2 * random() - 1))
  const asked = Math.min(retryAfterMs ?? 0, WEBHOOK_POLICY.longestRetryAfterMs)
  return new Date(at.getTime() + Math.max(Math.round(jittered), asked))
}

/** A Retry-After header (RFC 9110 section 10.2.3) in milliseconds from `now`, or null when there is none that makes sense. */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) || /^[-+\d.]+$/.test(text) ? null : Math.max(0, at - now.getTime())
}
