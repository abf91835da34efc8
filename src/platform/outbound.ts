import { abortAfter, type Clock } from "./clock.ts"
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
      const tooSlow = () => new OutboundError("timeout", `The server did not answer within ${timeoutMs / 1000} s.`)
      const over = abortAfter(clock, timeoutMs, tooSlow)
      const either = signal ? AbortSignal.any([over.signal, signal]) : over.signal
      try {
        const { response, origin } = await follow(fetch, policy, request, either)
        return limited(response, { maxBytes: request.maxBytes, signal: either, end: over.clear, origin })
      } catch (error) {
        over.clear()
        throw either.aborted ? either.reason : error
      }
    },
  }
}

/** The answer at the end of all redirects, and where it came from. */
async function follow(
  fetch: typeof globalThis.fetch,
  policy: UrlPolicy,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<{ response: Response; origin: string }> {
  let url = checkPublicUrl(request.url, policy)
  let { method, body } = request
  let headers = checkedHeaders(url, request)
  const most = request.maxRedirects ?? MAX_REDIRECTS
  for (let redirects = 0; ; redirects++) {
    const init = { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) } as const
    const response = await answerOf(async () => fetch(url.href, init), { signal, origin: url.origin })
    if (![301, 302, 303, 307, 308].includes(response.status) || most === 0) return { response, origin: url.origin }
    discard(response)
    if (redirects >= most) throw new OutboundError("redirect", `The server redirects more than ${most} times.`)
    const location = response.headers.get("location")
    if (location === null || !URL.canParse(location, url)) {
      throw new OutboundError("redirect", "The server redirects to an invalid URL.")
    }
    const next = checkPublicUrl(new URL(location, url), policy)
    if (request.mayRepeat && method !== "GET" && method !== "HEAD" && !(await request.mayRepeat())) {
      throw new OutboundError("redirect", "The turn is cancelled, so the redirect is not followed.")
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

/** Refuses what no request can carry. Without a cause: the runtime's own message quotes the value, which may be a secret. */
function checkedHeaders(url: URL, { method, headers, body }: OutboundRequest): Headers {
  try {
    const checked = new Headers(headers)
    if (!checked.has("user-agent")) checked.set("user-agent", USER_AGENT)
    new Request(url, { method, headers: checked, ...(body !== undefined && { body: "" }) })
    return checked
  } catch {
    throw new OutboundError(
      "refused",
      "The request cannot be sent: its method, a header or its body is not valid HTTP.",
    )
  }
}

/** The answer, or the signal's reason as soon as it is aborted, whatever a fetch makes of its signal. */
function answerOf(
  send: () => Promise<Response>,
  { signal, origin }: { signal: AbortSignal; origin: string },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    send()
      .then(
        (response) => {
          if (signal.aborted) return discard(response)
          // No Response can be made of it again; 600 to 999 do come from servers.
          if (response.status >= 200 && response.status <= 599) return resolve(response)
          discard(response)
          reject(
            new OutboundError("network", `${origin} answered with ${response.status}, which is no status of HTTP.`),
          )
        },
        (cause) => reject(new OutboundError("network", `There is no connection to ${origin}.`, { cause })),
      )
      .finally(() => signal.removeEventListener("abort", stop))
  })
}

/** Lets the server stop sending, without waiting for it. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}

/** The response with a body that errors as soon as it is too large or `signal` is aborted, read or not. */
function limited(
  response: Response,
  { maxBytes, signal, end, origin }: { maxBytes: number; signal: AbortSignal; end: () => void; origin: string },
): Response {
  if (!response.body) {
    end()
    return response
  }
  const reader = response.body.getReader()
  let bytes = 0
  let stop = () => {}
  const finish = () => {
    signal.removeEventListener("abort", stop)
    end()
  }
  const fail = (controller: ReadableStreamDefaultController, error: unknown) => {
    finish()
    controller.error(error)
    reader.cancel(error).catch(() => {})
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stop = () => fail(controller, signal.reason)
      if (signal.aborted) stop()
      else signal.addEventListener("abort", stop, { once: true })
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (signal.aborted) return
        if (done) {
          finish()
          return controller.close()
        }
        bytes += value.byteLength
        if (bytes <= maxBytes) return controller.enqueue(value)
        fail(controller, new OutboundError("too_large", `The answer is larger than ${maxBytes} bytes.`))
      } catch (cause) {
        fail(controller, new OutboundError("network", `The connection to ${origin} broke.`, { cause }))
      }
    },
    async cancel(reason) {
      finish()
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}
