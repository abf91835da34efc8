import { zValidator } from "@hono/zod-validator"
import type { Context as HonoContext, MiddlewareHandler } from "hono"
import type * as z from "zod"
import type { Once } from "../actor/once.ts"
import type { ErrorCode } from "../base/errors.ts"
import { type Guard, guardText } from "../base/powers.ts"
import type { AppEnv } from "./app-env.ts"
import { checkInput, MAX_FAULTS } from "./check-input.ts"
import { parseIdempotencyKey } from "./idempotency.ts"
import { jsonBodies, MAX_JSON_BYTES, MAX_OPEN_BYTES, MAX_SERVERS_BYTES } from "./json-bodies.ts"
import { withoutEmpty } from "./query.ts"
import { validationError } from "./validation-error.ts"
import { parseIfMatch } from "./versions.ts"

type Shape = z.ZodType<Record<string, unknown>>

/** One operation of the API. The schemas that validate it also document it. */
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
  /** Set when it needs neither session nor key: then it has `security: []`. */
  open?: true
  /** Only another server calls it and proves itself by a secret, so no origin is checked. */
  byServer?: true
  /** The body is a file, which the operation reads itself. */
  upload?: boolean
  /**
   * It takes an Idempotency-Key: `once` of its input. "replayed": its verb notes what it makes under the key.
   * "naturally": a repeat does no harm; the description says what the key means.
   */
  idempotent?: "replayed" | "naturally"
  /**
   * Its answer is one row with a `version`, which becomes the ETag. "checked": it edits that row and takes If-Match, as `ifVersion` of
   * its input.
   */
  versioned?: "shown" | "checked"
  answer: {
    /** 302: without a body; Location says where to go. */
    status: 200 | 201 | 202 | 302
    description: string
    schema: Answer
    headers?: Record<string, string>
    /** Other media types that the caller can ask for, with what each contains. */
    also?: Record<string, string>
    /** The answer is bytes of any media type, which the operation serves itself. */
    binary?: boolean
    /** Other statuses that are answers, not errors. */
    others?: Record<number, string>
  }
  errors: ErrorCode[]
  /** Fields of its examples that replace those made from the schemas. */
  example?: { body?: object; answer?: object }
}

/** An operation as it is documented when some calls of it, or all, ask for a fresh proof. */
export const guarded = (operation: Operation, guard: Guard): Operation => ({
  ...operation,
  description: [operation.description ?? `${operation.summary}.`, guardText(guard)].join(" "),
  errors: ["REAUTHENTICATION_REQUIRED", ...operation.errors],
})

export interface Input<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  /** Its Idempotency-Key, if it takes one and came with one. */
  once: Once | undefined
  /** The version that If-Match names: null for any, also without the header; -1 for a tag that is none of ours. */
  ifVersion: number | null
}

/** The validators of an operation, in the order in which they report faults. */
export function validatorsOf(operation: Operation): MiddlewareHandler<AppEnv>[] {
  const validators: MiddlewareHandler[] = []
  if (operation.params) validators.push(zValidator("param", operation.params, refuse, checked))
  if (operation.query)
    validators.push(zValidator("query", operation.query, refuse, isListForPages(operation) ? checkedFilled : checked))
  // An operation without a body does not read one.
  if (operation.body)
    validators.push(...jsonBodies(maxBytesOf(operation)), zValidator("json", operation.body, refuse, checked))
  return validators
}

function maxBytesOf({ open, byServer }: Operation): number {
  if (byServer) return MAX_SERVERS_BYTES
  return open ? MAX_OPEN_BYTES : MAX_JSON_BYTES
}

/**
 * Forms of pages send empty fields on purpose. An integrator's empty `end_user_ref=` is a mistake, which must not show all end users, and
 * so is an empty `dry_run=` of something that has an effect.
 */
const isListForPages = ({ path, method }: Operation) => path.startsWith("/api/") && method === "get"

const checked = { validationFunction: checkInput }
const checkedFilled: typeof checked = {
  validationFunction: (schema, value) => checkInput(schema, withoutEmpty(value)),
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
 * A fault for every text that PostgreSQL cannot store: with NUL, which its text type does not allow, or a lone surrogate, which UTF-8
 * cannot encode. Checked here for all inputs, including keys of records.
 */
function unstorable(value: unknown, path: PropertyKey[]): z.core.$ZodIssue[] {
  if (typeof value === "string") {
    if (!value.includes("\0") && value.isWellFormed()) return []
    return [{ code: "custom", path, message: "holds a NUL character or half of a surrogate pair", input: value }]
  }
  if (typeof value !== "object" || value === null) return []
  const faults: z.core.$ZodIssue[] = []
  for (const [key, item] of Object.entries(value)) {
    faults.push(...unstorable(key, path), ...unstorable(item, [...path, key]))
    if (faults.length >= MAX_FAULTS) break
  }
  return faults.slice(0, MAX_FAULTS)
}

/** The validated input. */
export function inputOf(c: HonoContext<AppEnv>, operation: Operation): Input<unknown, unknown, unknown> {
  const valid = (target: "param" | "query" | "json") => c.req.valid(target as never) as unknown
  const input = {
    params: operation.params && valid("param"),
    query: operation.query && valid("query"),
    body: operation.body && valid("json"),
  }
  const ifVersion = operation.versioned === "checked" ? parseIfMatch(c.req.header("if-match")) : null
  const header = operation.idempotent && c.req.header("idempotency-key")
  if (header === undefined) return { ...input, ifVersion, once: undefined }
  return {
    ...input,
    ifVersion,
    once: { key: parseIdempotencyKey(header), request: { operation: operation.id, ...input } },
  }
}

/** Path parameters whose values may have slashes, encoded or not: the pin `rehearsal/standard`. */
const WITH_SLASHES = ["pin", "chat_key"]

/** Hono's spelling of an OpenAPI path. */
export const honoPath = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) => (WITH_SLASHES.includes(name) ? `:${name}{.+}` : `:${name}`))
