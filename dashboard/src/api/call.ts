import { ApiError, readError, unreachable } from "./api-error.ts"
import { OPERATIONS, type Operations } from "./operations.ts"

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
  /** Default: a new key per call. Pass one if a user may submit the same form twice. */
  idempotencyKey?: string
  signal?: AbortSignal
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

/** The URL of an operation with its parameters, for links, CSV and event streams. */
export function addressOf<Id extends OperationId>(id: Id, ...[input]: Arguments<Id>): string {
  const { path = {}, query = {} } = (input ?? {}) as Parts
  const filled = OPERATIONS[id].path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** Calls an operation of /api with the session's cookie. Throws ApiError. */
export async function call<Id extends OperationId>(id: Id, ...args: Arguments<Id>): Promise<Answer<Id>> {
  const { body, ifMatch, idempotencyKey, signal } = (args[0] ?? {}) as Parts & CallOptions
  const { method, once } = OPERATIONS[id]
  const headers = new Headers({ Accept: "application/json" })
  if (body !== undefined && !(body instanceof Blob)) headers.set("Content-Type", "application/json")
  if (body instanceof Blob) headers.set("Content-Type", body.type || "application/octet-stream")
  if (ifMatch !== undefined) headers.set("If-Match", `"${ifMatch}"`)
  if (once) headers.set("Idempotency-Key", idempotencyKey ?? crypto.randomUUID())
  const response = await fetch(addressOf(id, ...args), {
    method,
    headers,
    body: body === undefined ? undefined : body instanceof Blob ? body : JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  if (!response.ok) throw await readError(response)
  const isJson = response.headers.get("content-type")?.includes("json")
  return (isJson ? response.json() : response.blob()) as Promise<Answer<Id>>
}

const OUTSIDE = ["SESSION_REQUIRED", "SECOND_FACTOR_REQUIRED"]

/** True if the session has ended, never existed, or still needs its second factor. */
export const needsSignIn = (error: unknown) => error instanceof ApiError && OUTSIDE.includes(error.code)
