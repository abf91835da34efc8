import { ConnectionError, errorOf, TimeoutError, TurnpikeError } from "./errors.ts"
import { List, type Page } from "./list.ts"
import { OPERATIONS, type Operations } from "./operations.ts"
import { type ChangeOptions, type CreateOptions, readOptions, type Settings, type TurnpikeOptions } from "./options.ts"
import { isWorthRetrying, parseRetryAfter, waitBefore } from "./retry.ts"
import { type Runtime, sleep, systemRuntime } from "./runtime.ts"
import { VERSION } from "./version.ts"

export type OperationId = keyof Operations
export type Answer<Id extends OperationId> = Operations[Id]["answer"]
export type Query<Id extends OperationId> = Operations[Id] extends { query?: infer Sent } ? NonNullable<Sent> : never
type Item<Id extends OperationId> = Answer<Id> extends { data: (infer One)[] } ? One : never

type Input<Id extends OperationId> = Omit<Operations[Id], "answer">

/** Parts of a request besides its operation's input. */
interface Extras {
  headers?: Record<string, string>
  /** A body that is not JSON. Its `type` is the Content-Type. A stream can be sent only once. */
  raw?: { data: Blob | Uint8Array | ReadableStream<Uint8Array>; type: string | undefined }
}

type CallOptions = ChangeOptions & CreateOptions

/** A tag as If-Match has it: in quotes. */
const tagOf = (version: string) => (/^(\*$|W\/"|")/.test(version) ? version : `"${version}"`)

interface Prepared {
  url: string
  init: RequestInit
  /** True if the request can be sent again without a second effect. */
  safe: boolean
  replayable: boolean
}

/** Sends operations: builds the request, retries if that is safe, and throws failures as a TurnpikeError. */
export class Transport {
  readonly #settings: Settings
  readonly runtime: Runtime

  constructor(options: TurnpikeOptions) {
    this.#settings = readOptions(options)
    this.runtime = options.runtime ?? systemRuntime
  }

  get timeoutMs() {
    return this.#settings.timeoutMs
  }

  get maxRetries() {
    return this.#settings.maxRetries
  }

  /** The operation's JSON response. */
  call<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options: CallOptions | undefined,
    extras: Extras = {},
  ): Promise<Answer<Id>> {
    return this.#send(this.#prepare(id, input, options, extras), options, async (response) => {
      const text = await response.text()
      try {
        return JSON.parse(text) as Answer<Id>
      } catch (cause) {
        throw new TurnpikeError("The response is not JSON. Check baseUrl.", {
          code: "UNEXPECTED_ANSWER",
          status: response.status,
          details: text.slice(0, 1000),
          cause,
        })
      }
    })
  }

  /** The response with an unread body. The operation's timeout does not apply to the body. */
  open<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options: CallOptions | undefined,
    extras: Extras = {},
  ): Promise<Response> {
    return this.#send(this.#prepare(id, input, options, extras), options, async (response) => response)
  }

  /** The operation's list. It loads the pages. */
  list<Id extends OperationId>(id: Id, input: Input<Id>, options: CallOptions | undefined): List<Item<Id>> {
    const { query } = input as { query?: object }
    return new List(async (cursor) => {
      const page = { ...input, query: { ...query, ...(cursor !== undefined && { cursor }) } }
      return (await this.call(id, page as Input<Id>, options)) as Page<Item<Id>>
    })
  }

  #prepare<Id extends OperationId>(
    id: Id,
    input: Input<Id>,
    options: CallOptions | undefined,
    { headers: more, raw }: Extras,
  ): Prepared {
    const { method, path, once } = OPERATIONS[id]
    const {
      params = {},
      query = {},
      body,
    } = input as {
      params?: Record<string, string | number>
      query?: Record<string, unknown>
      body?: unknown
    }
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#settings.apiKey}`,
      accept: "application/json",
      "user-agent": `turnpike-typescript/${VERSION}`,
      ...more,
    }
    if (method === "POST") headers["idempotency-key"] = options?.idempotencyKey ?? crypto.randomUUID()
    if (options?.ifMatch !== undefined) headers["if-match"] = tagOf(options.ifMatch)
    if (body !== undefined) headers["content-type"] = "application/json"
    if (raw?.type) headers["content-type"] = raw.type
    const isStream = raw !== undefined && "getReader" in raw.data
    const init = {
      method,
      headers,
      redirect: "manual",
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw && { body: raw.data }),
      ...(isStream && { duplex: "half" }),
    } as RequestInit
    const url = `${this.#settings.baseUrl}${fill(path, params)}${queryOf(query)}`
    return { url, init, safe: method !== "POST" || once === true, replayable: !isStream }
  }

  async #send<T>(
    { url, init, safe, replayable }: Prepared,
    options: CallOptions | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const maxRetries = options?.maxRetries ?? this.#settings.maxRetries
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(url, init, options, read)
      } catch (error) {
        options?.signal?.throwIfAborted()
        if (attempt >= maxRetries || !replayable || !isWorthRetrying(error, { safe })) throw error
        const wait = waitBefore(error, attempt, this.runtime.random)
        if (wait === null) throw error
        await sleep(this.runtime, wait, options?.signal)
      }
    }
  }

  async #attempt<T>(
    url: string,
    init: RequestInit,
    options: CallOptions | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    options?.signal?.throwIfAborted()
    const timeoutMs = options?.timeoutMs ?? this.#settings.timeoutMs
    const late = new AbortController()
    const timeout = new TimeoutError(`No response within ${timeoutMs} ms.`, { code: "TIMEOUT", retryable: true })
    const takeBack = this.runtime.after(timeoutMs, () => late.abort(timeout))
    const signal = options?.signal ? AbortSignal.any([options.signal, late.signal]) : late.signal
    try {
      const response = await this.#settings.fetch(url, { ...init, signal })
      if (response.ok) return await read(response)
      const retryAfter = parseRetryAfter(response.headers.get("retry-after"), this.runtime.now())
      throw errorOf(response, await response.text(), retryAfter)
    } catch (cause) {
      if (cause instanceof TurnpikeError) throw cause
      if (late.signal.aborted) throw timeout
      if (options?.signal?.aborted) throw options.signal.reason
      throw new ConnectionError(`No response from ${new URL(url).origin}.`, {
        code: "CONNECTION_FAILED",
        retryable: true,
        cause,
      })
    } finally {
      takeBack()
    }
  }
}

function fill(path: string, params: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = String(params[name] ?? "")
    // URLs drop segments that are empty or only dots, so the path would be that of another operation.
    if (value === "" || value === "." || value === "..")
      throw new TypeError(`Turnpike: ${name} must not be "${value}".`)
    return encodeURIComponent(value)
  })
}

function queryOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    // An array repeats the parameter.
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(name, String(one))
  }
  const text = search.toString()
  return text && `?${text}`
}
