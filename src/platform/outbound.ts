import { abortAfter } from "./abort-after.ts"
import type { Clock } from "./clock.ts"
import { OutboundError } from "./outbound-error.ts"
import { checkPublicUrl, type UrlPolicy } from "./public-url.ts"

export interface OutboundRequest {
  url: string
  method: string
  headers: Record<string, string> | Headers
  body?: string | Uint8Array<ArrayBuffer>
  /** From the start until the last byte of the answer has come. */
  timeoutMs: number
  maxBytes: number
  /** 0: a redirect is the answer. Default 3. */
  maxRedirects?: number
  /** Asked before a redirect of anything but GET and HEAD is followed. */
  mayRepeat?: () => Promise<boolean>
  signal?: AbortSignal
}

export interface Outbound {
  /**
   * Calls a customer's URL. The answer's body ends with an OutboundError when it is too large or too slow. Throws
   * OutboundError, or the signal's reason.
   */
  send(request: OutboundRequest): Promise<Response>
}

const MAX_REDIRECTS = 3

/** What a redirect to another origin still carries; all else could be a credential. */
const HARMLESS = new Set(["accept", "accept-language", "content-type", "user-agent", "idempotency-key"])
const USER_AGENT = "Turnpike"

export function createOutbound({
  fetch,
  clock,
  policy,
}: {
  fetch: typeof globalThis.fetch
  clock: Clock
  policy: UrlPolicy
}): Outbound {
  return {
    async send(request) {
      const { signal, timeoutMs } = request
      if (signal?.aborted) throw signal.reason
      const tooSlow = new OutboundError("timeout", `The server did not answer within ${timeoutMs / 1000} s.`)
      const over = abortAfter(clock, timeoutMs, tooSlow)
      const either = signal ? AbortSignal.any([over.signal, signal]) : over.signal
      try {
        const response = await hop(fetch, policy, request, either)
        return limited(response, { maxBytes: request.maxBytes, signal: either, end: over.clear })
      } catch (error) {
        over.clear()
        throw translate(error, either, request.url)
      }
    },
  }
}

async function hop(
  fetch: typeof globalThis.fetch,
  policy: UrlPolicy,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<Response> {
  let url = checkPublicUrl(request.url, policy)
  let { method, body } = request
  let headers = new Headers(request.headers)
  if (!headers.has("user-agent")) headers.set("user-agent", USER_AGENT)
  const most = request.maxRedirects ?? MAX_REDIRECTS
  for (let redirects = 0; ; redirects++) {
    const response = await raced(
      fetch(url.href, { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) }),
      signal,
    )
    if (![301, 302, 303, 307, 308].includes(response.status) || most === 0) return response
    await response.body?.cancel()
    if (redirects >= most) throw new OutboundError("redirect", `The server redirects more than ${most} times.`)
    const location = response.headers.get("location")
    if (location === null || !URL.canParse(location, url)) {
      throw new OutboundError("redirect", "The server redirects to no valid URL.")
    }
    const next = checkPublicUrl(new URL(location, url), policy)
    if (request.mayRepeat && method !== "GET" && method !== "HEAD" && !(await request.mayRepeat())) {
      throw new OutboundError("redirect", "The turn is cancelled: the redirect is not followed.")
    }
    if (response.status < 307 && method !== "GET" && method !== "HEAD") {
      method = "GET"
      body = undefined
      headers.delete("content-type")
    }
    if (next.origin !== url.origin) {
      if (body !== undefined) {
        throw new OutboundError("redirect", "The server redirects a request with a body to another origin.")
      }
      headers = new Headers([...headers].filter(([name]) => HARMLESS.has(name)))
    }
    url = next
  }
}

/** `work`, or the signal's reason as soon as it is aborted, whatever a fetch makes of its signal. */
function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

function limited(
  response: Response,
  { maxBytes, signal, end }: { maxBytes: number; signal: AbortSignal; end: () => void },
): Response {
  if (!response.body) {
    end()
    return response
  }
  const reader = response.body.getReader()
  let bytes = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await raced(reader.read(), signal)
        if (done) {
          end()
          return controller.close()
        }
        bytes += value.byteLength
        if (bytes > maxBytes) throw new OutboundError("too_large", `The answer is larger than ${maxBytes} bytes.`)
        controller.enqueue(value)
      } catch (error) {
        end()
        void reader.cancel(error).catch(() => {})
        controller.error(translate(error, signal, response.url))
      }
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}

function translate(error: unknown, signal: AbortSignal, url: string): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof OutboundError) return error
  const origin = URL.canParse(url) ? new URL(url).origin : "the server"
  return new OutboundError("network", `There is no connection to ${origin}.`, { cause: error })
}
