import { ApiError, notSent, readError, unanswered } from "./api-error.ts"
import { OPERATIONS, type Operations } from "./operations.ts"
import { type Barred, pageUserFor } from "./page-user.ts"

export type OperationId = keyof Operations

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Record<Name, infer Value>
    ? Record<Name, Value>
    : Operations[Id] extends Partial<Record<Name, infer Value>>
      ? Partial<Record<Name, Value>>
      : unknown

/** The input of an operation: path parameters, query and body. */
export type Input<Id extends OperationId> = Part<Id, "path"> & Part<Id, "query"> & Part<Id, "body">

/** Options of a request, besides its input. */
export interface CallOptions {
  /** The version that the change is based on. If it is outdated, the call fails with 412 and `current`. */
  ifMatch?: number
  /** Default: a new key per call. `send` keeps the key of a request whose answer was lost. */
  idempotencyKey?: string
  signal?: AbortSignal
  /** Asks for an event stream, and makes the answer of it. It may last longer than the answer. */
  onStream?: (response: Response) => Promise<unknown>
}

type Optional<T> = Record<never, never> extends T ? true : false

export type Arguments<Id extends OperationId> =
  Optional<Input<Id>> extends true ? [input?: Input<Id> & CallOptions] : [input: Input<Id> & CallOptions]

export type Answer<Id extends OperationId> = Operations[Id]["answer"]

interface Parts {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  body?: unknown
}

/**
 * The URL of an operation with its parameters, for links, CSV and event streams. It says for whom the page was made,
 * because a browser sends no header of ours with them.
 */
export function addressOf<Id extends OperationId>(id: Id, ...[input]: Arguments<Id>): string {
  const { path, query } = (input ?? {}) as Parts
  return locate(id, path, { ...query, page_user: pageUserFor(OPERATIONS[id].path) })
}

function locate(id: OperationId, path: Parts["path"] = {}, query: Parts["query"] = {}): string {
  const filled = OPERATIONS[id].path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    // A list repeats its parameter.
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null && one !== "") search.append(name, String(one))
    }
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** Time limits in milliseconds. They only end requests that hang. */
const READ_MS = 30_000
const CHANGE_MS = 120_000
/** The slowest connection with which an upload must succeed, in bytes per millisecond. */
const UPLOAD_SPEED = 20

/** Calls an operation of /api with the session's cookie. Throws ApiError, also if no answer comes in time. */
export async function call<Id extends OperationId>(id: Id, ...args: Arguments<Id>): Promise<Answer<Id>> {
  const { path, query, body, ifMatch, idempotencyKey, signal, onStream } = (args[0] ?? {}) as Parts & CallOptions
  const { method, once, path: pattern } = OPERATIONS[id]
  const isChange = method !== "GET"
  if (!navigator.onLine) throw notSent({ isChange })
  const headers = new Headers({ Accept: onStream ? "text/event-stream" : "application/json" })
  if (body !== undefined && !(body instanceof Blob)) headers.set("Content-Type", "application/json")
  if (body instanceof Blob) headers.set("Content-Type", body.type || "application/octet-stream")
  if (ifMatch !== undefined) headers.set("If-Match", `"${ifMatch}"`)
  if (once) headers.set("Idempotency-Key", idempotencyKey ?? crypto.randomUUID())
  const pageUser = pageUserFor(pattern)
  if (pageUser) headers.set("X-Turnpike-User", pageUser)
  const limit = new AbortController()
  const most = (isChange ? CHANGE_MS : READ_MS) + (body instanceof Blob ? body.size / UPLOAD_SPEED : 0)
  const timer = setTimeout(() => limit.abort(), most)
  try {
    const response = await fetch(locate(id, path, query), {
      method,
      headers,
      body: body === undefined ? undefined : body instanceof Blob ? body : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    })
    if (!response.ok) throw await readError(response)
    const type = response.headers.get("content-type")
    if (onStream && type?.includes("event-stream")) return (await onStream(response)) as Answer<Id>
    const isJson = type?.includes("json")
    return (await (isJson ? response.json() : response.blob())) as Answer<Id>
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error
    throw unanswered({ isChange, once: once === true, seconds: limit.signal.aborted ? most / 1000 : null })
  } finally {
    clearTimeout(timer)
  }
}

const OUTSIDE = ["SESSION_REQUIRED", "SECOND_FACTOR_REQUIRED"]

/** True if the session has ended, never existed, or still needs its second factor. */
export const needsSignIn = (error: unknown) => error instanceof ApiError && OUTSIDE.includes(error.code)

/** The codes with which the service refuses every request of a page. */
const BARRED: Record<string, Barred["reason"]> = {
  SIGNED_IN_AS_OTHER: "other_user",
  NOT_A_MEMBER: "no_member",
  MEMBER_FACTOR_REQUIRED: "no_factor",
}

/** Why the page may not show its account; null for other errors. */
export function barredBy(error: unknown): Barred | null {
  const reason = error instanceof ApiError ? BARRED[error.code] : undefined
  return reason ? { reason, sentence: (error as ApiError).message } : null
}

/** True if the signed-in person's role lacks the right, or the person has left the own account. */
export const isRoleRequired = (error: unknown) => error instanceof ApiError && error.code === "ROLE_REQUIRED"
