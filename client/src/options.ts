import type { CreateTurn, Turn, TurnEvent } from "./operations.ts"

import type { Runtime } from "./runtime.ts"

export interface TurnpikeOptions {
  /** `turnpike_live_…` or `turnpike_test_…`. Default: TURNPIKE_API_KEY of the environment. For servers only. */
  apiKey?: string | undefined
  /** The service's URL, with or without `/v1`. Default: TURNPIKE_BASE_URL of the environment. */
  baseUrl?: string | URL | undefined
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** The maximum number of retries of a request. Default 3. 0 disables retries. */
  maxRetries?: number | undefined
  /**
   * The time limit of one attempt in milliseconds: until a JSON response is complete, or until the headers of a
   * stream. Default 60,000.
   */
  timeoutMs?: number | undefined
  /** @internal */
  runtime?: Runtime | undefined
}

/** The last argument of every method. */
export interface RequestOptions {
  /** Aborts the request. The method then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Overrides the client's `maxRetries` for this call. */
  maxRetries?: number | undefined
  /** Overrides the client's `timeoutMs` for this call. */
  timeoutMs?: number | undefined
}

/** Options of methods that change configuration. */
export interface ChangeOptions extends RequestOptions {
  /**
   * Make the change only if the object still has this `ETag`. For a space's configuration it may also be the
   * `config_version` as a string. Otherwise the call throws with the code VERSION_MISMATCH, and nothing is changed.
   */
  ifMatch?: string | undefined
}

/** Options of methods that create something (POST). */
export interface CreateOptions extends RequestOptions {
  /**
   * One value per logical request, of 1–255 printable ASCII characters. Default: a new UUID for all attempts of the
   * call. Pass your own value, such as the id of an order or a job, if your process can crash and send the request
   * again.
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

/** Throws TypeError for invalid options. */
export function readOptions(options: TurnpikeOptions): Settings {
  const apiKey = options.apiKey ?? fromEnvironment("TURNPIKE_API_KEY")
  if (!apiKey) throw new TypeError("Turnpike: pass an apiKey, or set TURNPIKE_API_KEY.")
  // A header allows only these characters, and the error of `fetch` would contain the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("Turnpike: the apiKey contains a space or a character that HTTP headers do not allow.")
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

/** Throws TypeError for invalid options of a call. */
export function checkRequestOptions({ maxRetries, timeoutMs }: RequestOptions): void {
  if (maxRetries !== undefined) wholeNumber("maxRetries", maxRetries, 0)
  if (timeoutMs !== undefined) wholeNumber("timeoutMs", timeoutMs, 1)
}

export function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value
  throw new TypeError(`Turnpike: ${name} must be a whole number, at least ${least}.`)
}

function fromEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/** A turn as it is sent: with a text, with messages, or with results of calls. */
export type NewTurn = CreateTurn &
  (
    | { text: string }
    | { messages: NonNullable<CreateTurn["messages"]> }
    | { results: NonNullable<CreateTurn["results"]> }
  )

/** Options of `create`. */
export interface CreateTurnOptions extends CreateOptions {
  /** How many seconds the response is held until the turn has ended or begins to wait, at most 30. Default 0. */
  wait?: number | undefined
}

/** Options of `run`. */
export interface RunOptions extends Omit<CreateOptions, "timeoutMs"> {
  /** The time limit in milliseconds. After it, TimeoutError is thrown, with `details.turn_id`. Default: no limit. */
  timeoutMs?: number | undefined
  /** Called with each event as it happens, including the agent's text (`text.delta`). */
  onEvent?: ((event: TurnEvent) => void | Promise<void>) | undefined
  /** Called each time the turn begins to wait: decide about its calls, send results, or raise its limit. */
  onWaiting?: ((turn: Turn) => void | Promise<void>) | undefined
  /** Cancels the turn if `signal` or `timeoutMs` ends the wait. Default: the turn continues and is billed. */
  cancelOnAbort?: boolean | undefined
}
