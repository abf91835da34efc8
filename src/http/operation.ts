import { zValidator } from "@hono/zod-validator"
import type { Context as HonoContext, MiddlewareHandler } from "hono"
import type * as z from "zod"
import type { Once } from "../actor/once.ts"
import type { ErrorCode } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"
import { parseIdempotencyKey } from "./idempotency.ts"
import { jsonBodies } from "./json-bodies.ts"
import { validationError } from "./validation-error.ts"

type Shape = z.ZodType<Record<string, unknown>>

/** One operation of the API: what it validates with is also what documents it. */
export interface Operation<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  method: "get" | "post" | "put" | "patch" | "delete"
  /** As in OpenAPI: `/v1/turns/{turn_id}`. */
  path: string
  id: string
  tag: string
  summary: string
  description?: string
  params?: Params
  query?: Query
  /** Request headers beside Authorization, for the documentation: the operation reads them itself. */
  headers?: { name: string; description: string; required: boolean; example: string }[]
  body?: Body
  /** Whether it asks for no session or key: then it has `security: []`. */
  open?: true
  /** Only another server calls it, which proves itself by a secret: then no page's origin is asked for. */
  byServer?: true
  /** The body is a file, which the operation reads itself. */
  upload?: boolean
  /**
   * It takes an Idempotency-Key: `once` of its input. "replayed": its verb notes what it makes under the key.
   * "naturally": a repeat does no harm; the description says what the key means.
   */
  idempotent?: "replayed" | "naturally"
  answer: {
    /** 302: it has no body, and says in Location where to go. */
    status: 200 | 201 | 202 | 302
    description: string
    schema: Answer
    headers?: Record<string, string>
    /** Other media types that the caller may ask for, each with what it carries. */
    also?: Record<string, string>
    /** The answer is bytes of any media type, which the operation serves itself. */
    binary?: boolean
    /** What else is an answer and no error, by its status. */
    others?: Record<number, string>
  }
  errors: ErrorCode[]
  /** Fields of its examples that should be others than what the schemas' fields have. */
  example?: { body?: object; answer?: object }
}

export interface Input<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  /** Its Idempotency-Key, if it takes one and came with one. */
  once: Once | undefined
}

/** The validators of an operation, in the order in which its faults are reported. */
export function validatorsOf(operation: Operation): MiddlewareHandler<AppEnv>[] {
  const validators: MiddlewareHandler[] = []
  if (operation.params) validators.push(zValidator("param", operation.params, refuse))
  if (operation.query) validators.push(zValidator("query", operation.query, refuse))
  // A body that nobody asked for is not read at all.
  if (operation.body) validators.push(...jsonBodies, zValidator("json", operation.body, refuse))
  return validators
}

type Checked = (
  | { success: true; data: unknown }
  | { success: false; error: { issues: readonly z.core.$ZodIssue[] } }
) & {
  target: string
}

const PLACES = { param: "path", query: "query", json: "body" } as const

function refuse(result: Checked) {
  const issues = result.success ? unstorable(result.data, []) : result.error.issues
  if (issues.length > 0) throw validationError(issues, PLACES[result.target as keyof typeof PLACES])
}

/**
 * Faults of every text that PostgreSQL could not keep as it is: NUL is not allowed in its text type, and a lone surrogate
 * no UTF-8 form. Checked once here for all inputs, keys of records included.
 */
function unstorable(value: unknown, path: PropertyKey[]): z.core.$ZodIssue[] {
  if (typeof value === "string") {
    if (!value.includes("\0") && value.isWellFormed()) return []
    return [{ code: "custom", path, message: "holds a NUL character or half of a surrogate pair", input: value }]
  }
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => [...unstorable(key, path), ...unstorable(item, [...path, key])])
}

/** What the validators have let through. */
export function inputOf(c: HonoContext<AppEnv>, operation: Operation): Input<unknown, unknown, unknown> {
  const valid = (target: "param" | "query" | "json") => c.req.valid(target as never) as unknown
  const input = {
    params: operation.params && valid("param"),
    query: operation.query && valid("query"),
    body: operation.body && valid("json"),
  }
  const header = operation.idempotent && c.req.header("idempotency-key")
  if (header === undefined) return { ...input, once: undefined }
  return { ...input, once: { key: parseIdempotencyKey(header), request: { operation: operation.id, ...input } } }
}

/** Hono's spelling of an OpenAPI path. */
export const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ":$1")
