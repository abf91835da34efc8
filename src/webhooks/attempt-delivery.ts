import type { Context } from "../actor/context.ts"
import { plainJson } from "../base/plain-json.ts"
import { storable } from "../base/storable.ts"
import { logIds, spanIdOf, traceHeaders } from "../base/trace-context.ts"
import { describeError, logWith } from "../platform/log.ts"
import { type NetworkFault, wordsOfFault } from "../platform/network-fault.ts"
import type { Outbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { parseRetryAfter } from "../platform/retry-after.ts"
import type { ClaimedDelivery } from "./claim-deliveries.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { serializeEvent } from "./event-payload.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { FIXED_HEADERS, signatureHeaders } from "./signing.ts"

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
  /** Null once the delivery is delivered or failed. */
  next_attempt_at: Date | null
}

/**
 * Posts an event to its endpoint with a new signature. 2xx within `timeoutMs` is success. Redirects are not followed.
 */
export async function attemptDelivery(
  ctx: DispatchContext,
  { endpoint, secrets }: { endpoint: Pick<EndpointRow, "url">; secrets: string[] },
  { delivery_id, epoch, round, event }: ClaimedDelivery,
): Promise<Attempt> {
  const { turn } = event
  const log = turn ? logWith(ctx.log, logIds(turn)) : ctx.log
  const at = ctx.clock.now()
  const body = plainJson(serializeEvent(event))
  const answer = await post({ ...ctx, log }, endpoint.url, {
    body,
    headers: {
      ...FIXED_HEADERS,
      ...(turn && traceHeaders(turn, `delivery ${delivery_id}`)),
      ...(await signatureHeaders(secrets, { id: event.event_id, at, body })),
    },
  })
  const ended = ctx.clock.now()
  const { status, error, location } = answer
  const ok = status !== null && status >= 200 && status < 300
  const retryAfterMs = parseRetryAfter(answer.retryAfter, ended)
  const duration_ms = ended.getTime() - at.getTime()
  log("info", "webhook.sent", {
    ...(turn && { span_id: spanIdOf(turn.turn_id, `delivery ${delivery_id}`) }),
    delivery_id,
    event_id: event.event_id,
    status,
    ms: duration_ms,
  })
  return {
    delivery_id,
    epoch,
    ok,
    status,
    error,
    answer: answer.text,
    location,
    duration_ms,
    at,
    next_attempt_at: ok ? null : nextAttemptAt({ round, at: ended, retryAfterMs }, ctx.random),
  }
}

const UNKNOWN = "The event could not be sent because of an error on our side."

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
    // Any error is the result of this attempt alone. The run's other attempts are still recorded.
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

/** Explains a status that is not success: a redirect, or a status of Cloudflare's own. */
function whyNoSuccess({ status, headers }: Response): string | null {
  if (isRedirect(status)) {
    return "The endpoint redirects, and redirects are not followed. Register the URL in `location` instead."
  }
  const fault = headers.get("server") === "cloudflare" ? EDGE_FAULTS[status] : undefined
  return fault ? `Cloudflare did not reach the server: ${wordsOfFault(fault)}.` : null
}

/** The statuses that Cloudflare's network returns if it cannot reach a server. */
const EDGE_FAULTS: Record<number, NetworkFault> = {
  520: "protocol",
  521: "refused",
  522: "timeout",
  523: "unreachable",
  525: "tls",
  526: "tls",
  530: "dns",
}

/** The first KiB of a body, or less if the body breaks off. The status alone decides about success. */
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
    // Keep the bytes read so far.
  } finally {
    reader?.cancel().catch(() => {})
  }
  return storable(new TextDecoder().decode(kept.subarray(0, length)))
}

/**
 * The time of the next attempt after one that failed at `at`; null after the last one. `round` counts
 * the earlier attempts. The wait is the schedule's ± its jitter, or longer if Retry-After requests it.
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
