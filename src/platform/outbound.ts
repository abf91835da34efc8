import { NotSent } from "../base/not-sent.ts"
import { abortAfter, type Clock } from "./clock.ts"
import { MEMORY, type MemoryBudget } from "./memory.ts"
import { networkFault, wordsOfFault } from "./network-fault.ts"
import { OutboundError } from "./outbound-error.ts"
import { checkPublicUrl, type UrlPolicy } from "./public-url.ts"

export interface OutboundRequest {
  url: string
  method: string
  headers: Record<string, string> | Headers
  body?: string | Uint8Array<ArrayBuffer>
  /** The time limit from the start to the last byte of the response. */
  timeoutMs: number
  maxBytes: number
  /** 0: a redirect is returned as the response. Default: 3. */
  maxRedirects?: number
  /** Called before a redirect is followed, unless the method is GET or HEAD. False stops the call. */
  mayRepeat?: () => Promise<boolean>
  signal?: AbortSignal
}

export interface Outbound {
  /**
   * Calls an owner's URL. Throws OutboundError or the signal's reason. Reading the body throws
   * OutboundError if the response is too large or too slow.
   */
  send(request: OutboundRequest): Promise<Response>
}

const MAX_REDIRECTS = 3
const NO_MEMORY = "Too many large answers are read at this moment: ask for this one again, alone."

/** The headers that are kept for a redirect to another origin. All others could be credentials. */
const HARMLESS = new Set(["accept", "accept-language", "content-type", "user-agent", "idempotency-key"])
const USER_AGENT = "Turnpike"

export function createOutbound({
  fetch,
  clock,
  policy,
  memory,
  whenFree = async () => {},
}: {
  fetch: typeof globalThis.fetch
  clock: Clock
  policy: UrlPolicy
  /** Resolves once a call would not have to wait for others. The call's time limit starts then. */
  whenFree?: (signal?: AbortSignal) => Promise<void>
  /** The memory budget for large responses, with their holder. Default: only their own limits apply. */
  memory?: { budget: MemoryBudget; holder: string }
}): Outbound {
  return {
    async send(request) {
      const { signal, timeoutMs } = request
      if (signal?.aborted) throw signal.reason
      await whenFree(signal)
      const tooSlow = () => new OutboundError("timeout", `The server did not answer within ${timeoutMs / 1000} s.`)
      const over = abortAfter(clock, timeoutMs, tooSlow)
      const either = signal ? AbortSignal.any([over.signal, signal]) : over.signal
      try {
        const { response, origin } = await follow(fetch, policy, request, either)
        const loan = memory?.budget.open(MEMORY.shares.answer, memory.holder, clock)
        const end = () => {
          loan?.close()
          over.clear()
        }
        return limited(response, { maxBytes: request.maxBytes, signal: either, end, origin, grow: loan?.grow })
      } catch (error) {
        over.clear()
        throw either.aborted ? either.reason : error
      }
    },
  }
}

/** The response after all redirects, and its origin. */
async function follow(
  fetch: typeof globalThis.fetch,
  policy: UrlPolicy,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<{ response: Response; origin: string }> {
  let url = checkPublicUrl(request.url, policy)
  let { method, body } = request
  let headers = checkedHeaders(url, request)
  // Redirects of an operator's server are not followed, since the operator has not allowed their targets.
  const most = policy.operators ? 0 : (request.maxRedirects ?? MAX_REDIRECTS)
  for (let redirects = 0; ; redirects++) {
    const init = { method, headers, redirect: "manual", signal, ...(body !== undefined && { body }) } as const
    const response = await answerOf(async () => fetch(url.href, init), { signal, url })
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
        throw new OutboundError(
          "redirect",
          `The server redirects a request with a body to another origin, ${next.origin}.`,
        )
      }
      headers = new Headers([...headers].filter(([name]) => HARMLESS.has(name)))
    }
    url = next
  }
}

/**
 * Rejects headers that no request can carry. The error has no cause, since the runtime's message
 * quotes the value, which may be a secret.
 */
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

/** The response. Rejects with the signal's reason as soon as it is aborted, even if the fetch ignores its signal. */
function answerOf(
  send: () => Promise<Response>,
  { signal, url }: { signal: AbortSignal; url: URL },
): Promise<Response> {
  const { origin } = url
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    send()
      .then(
        (response) => {
          if (signal.aborted) return discard(response)
          // A Response cannot be built with these statuses, but servers do send 600 to 999.
          if (response.status >= 200 && response.status <= 599) return resolve(response)
          discard(response)
          reject(
            new OutboundError("network", `${origin} answered with ${response.status}, which is no status of HTTP.`),
          )
        },
        async (cause) => reject(cause instanceof NotSent ? cause : await notAnswered(cause, url)),
      )
      .finally(() => signal.removeEventListener("abort", stop))
  })
}

async function notAnswered(cause: unknown, url: URL): Promise<OutboundError> {
  const fault = await networkFault(cause, url)
  const why = fault === null ? "" : `: ${wordsOfFault(fault)}`
  return new OutboundError("network", `There is no connection to ${url.origin}${why}.`, { cause, fault })
}

/** Cancels the body without waiting for the server. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {})
}

/** The response with a body that fails if it is too large or `signal` is aborted, whether or not it is being read. */
function limited(
  response: Response,
  {
    maxBytes,
    signal,
    end,
    origin,
    grow = () => true,
  }: {
    maxBytes: number
    signal: AbortSignal
    end: () => void
    origin: string
    grow?: ((bytes: number) => boolean) | undefined
  },
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
        if (bytes > maxBytes)
          return fail(controller, new OutboundError("too_large", `The answer is larger than ${maxBytes} bytes.`))
        if (bytes > MEMORY.smallBytes && !grow(value.byteLength))
          return fail(controller, new OutboundError("too_large", NO_MEMORY))
        controller.enqueue(value)
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
