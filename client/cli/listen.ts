import type { FeedEvent } from "../src/operations.ts"
import { type Runtime, sleep } from "../src/runtime.ts"
import { CommandError } from "./failures.ts"
import type { FedEvent } from "./follow-feed.ts"
import { headersOfAttempt } from "./sign-event.ts"
import { type Paint, shown } from "./terminal.ts"

const FORWARD_POLICY = {
  /** As for a webhook: a response after this time counts as a failure. */
  timeoutMs: 15_000,
  /** The waits before an event is sent again that the receiver rejected. After the last one it is skipped. */
  retryAfterMs: [1_000, 5_000],
  /** The pause between attempts while no program listens at the address. */
  unreachableMs: 1_000,
}

/** The URL of a receiver: `localhost:3000`, `3000`, or a complete URL. */
export function targetOf(given: string): string {
  const text = /^\d+(\/|$)/.test(given) ? `localhost:${given}` : given
  const url = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(url))
    throw new CommandError(`"${given}" is not an address.`, { hint: "Such as localhost:3000/webhooks" })
  return new URL(url).href
}

interface ForwardOptions {
  target: string
  secret: string
  runtime: Runtime
  fetch: (url: string, init: RequestInit) => Promise<Response>
  signal: AbortSignal
  paint: Paint
  print(line: string): void
}

/**
 * Posts an event as the service would, and prints the result. It waits for a receiver that is not running, so no event
 * is lost while it restarts. A receiver that rejects an event gets it again, and after that the next event.
 */
export async function forwardEvent({ event, body }: FedEvent, options: ForwardOptions): Promise<void> {
  const { runtime, signal, paint, print } = options
  const label = labelOf(event)
  let rejected = 0
  let isWaiting = false
  while (!signal.aborted) {
    const answer = await post(event.id, body, options)
    if (answer.status !== null && answer.status >= 200 && answer.status < 300)
      return print(`${paint("green", String(answer.status))}  ${label}  ${answer.ms} ms`)
    if (answer.status === null && answer.isUnreachable) {
      if (!isWaiting) print(`${paint("yellow", "waiting")}  ${label}: no program listens at ${options.target}`)
      isWaiting = true
      await sleep(runtime, FORWARD_POLICY.unreachableMs, signal).catch(() => {})
      continue
    }
    const waitMs = FORWARD_POLICY.retryAfterMs[rejected++]
    const next = waitMs === undefined ? "skipped" : `again in ${waitMs / 1000} s`
    print(
      `${paint("red", answer.status === null ? "failed" : String(answer.status))}  ${label}: ${answer.why}; ${next}`,
    )
    if (waitMs === undefined) return
    await sleep(runtime, waitMs, signal).catch(() => {})
  }
}

const labelOf = ({ id, type, data }: FeedEvent) => {
  const turn = "turn" in data ? (data.turn as { turn_id?: string }).turn_id : undefined
  return [type, id, turn].filter((part) => part !== undefined).join("  ")
}

interface Answered {
  status: number | null
  isUnreachable: boolean
  why: string
  ms: number
}

async function post(id: string, body: string, options: ForwardOptions): Promise<Answered> {
  const { runtime, target, secret, signal } = options
  const started = runtime.now()
  const late = new AbortController()
  const takeBack = runtime.after(FORWARD_POLICY.timeoutMs, () => late.abort())
  const answered = (status: number | null, why: string, isUnreachable = false): Answered => {
    return { status, why, isUnreachable, ms: Math.round(runtime.now() - started) }
  }
  try {
    const headers = await headersOfAttempt(secret, { id, seconds: Math.floor(started / 1000), body })
    const init = { method: "POST", headers, body, redirect: "manual" as const }
    const response = await options.fetch(target, { ...init, signal: AbortSignal.any([signal, late.signal]) })
    const { status } = response
    const location = response.headers.get("location")
    const text = (await response.text()).slice(0, 200)
    if (status >= 300 && status < 400) return answered(status, `a redirect to ${shown(location ?? "")} is not followed`)
    return answered(status, shown(text.split("\n")[0] ?? "") || "no text")
  } catch (error) {
    if (late.signal.aborted) return answered(null, `no response within ${FORWARD_POLICY.timeoutMs / 1000} s`)
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    return answered(null, (error as Error).message, code === "ECONNREFUSED")
  } finally {
    takeBack()
  }
}
