import type { Runtime } from "./runtime.ts"

export interface TurnpikeOptions {
  /** `turnpike_live_…` or `turnpike_test_…`. Default: TURNPIKE_API_KEY of the environment. For servers only. */
  apiKey?: string | undefined
  /** The service's URL, with or without `/v1`. Default: TURNPIKE_BASE_URL of the environment. */
  baseUrl?: string | URL | undefined
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How many times a request is retried. Default 3; 0: never. */
  maxRetries?: number | undefined
  /** The time limit of one attempt in milliseconds: to the end of a JSON answer, or to the headers of a stream. Default 60,000. */
  timeoutMs?: number | undefined
  /** @internal */
  runtime?: Runtime | undefined
}

/** The last argument of every method. */
export interface RequestOptions {
  /** Aborts the request; the method then throws its reason. */
  signal?: AbortSignal | undefined
  /** For this call, instead of the client's. */
  maxRetries?: number | undefined
  /** For this call, instead of the client's. */
  timeoutMs?: number | undefined
}

/** Options of methods that create something (POST). */
export interface CreateOptions extends RequestOptions {
  /**
   * 1–255 printable ASCII characters, one value per logical request. Default: a new UUID for all attempts of the call. Pass your own
   * (an order's id, a job's id) when your process may die and ask again.
   */
  idempotencyKey?: string | undefined
}

export interface Settings {
  apiKey: string
  baseUrl: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  maxRetries: number
  timeoutMs: number
}

/** Throws TypeError for options that cannot work. */
export function readOptions(options: TurnpikeOptions): Settings {
  const apiKey = options.apiKey ?? fromEnvironment("TURNPIKE_API_KEY")
  if (!apiKey) throw new TypeError("Turnpike: pass an apiKey, or set TURNPIKE_API_KEY.")
  // A header allows no other characters, and its error would quote the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("Turnpike: the apiKey has a space or a character that a header cannot have.")
  const baseUrl = options.baseUrl ?? fromEnvironment("TURNPIKE_BASE_URL")
  if (!baseUrl) throw new TypeError("Turnpike: pass a baseUrl, or set TURNPIKE_BASE_URL.")
  const url = new URL(baseUrl)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError("Turnpike: the baseUrl must be http or https.")
  return {
    apiKey,
    baseUrl: `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/v1$/, ""),
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    maxRetries: wholeNumber("maxRetries", options.maxRetries ?? 3, 0),
    timeoutMs: wholeNumber("timeoutMs", options.timeoutMs ?? 60_000, 1),
  }
}

function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value
  throw new TypeError(`Turnpike: ${name} must be a whole number, at least ${least}.`)
}

function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}
