import { zValidator } from "@hono/zod-validator"
import type { Context as HonoContext, MiddlewareHandler } from "hono"
import * as z from "zod"
import type { Once } from "../actor/once.ts"
import type { SpaceRoleCheck } from "../actor/shares.ts"
import type { Dialect } from "../base/dialects.ts"
import type { ErrorCode } from "../base/errors.ts"
import { type Guard, guardText } from "../base/powers.ts"
import type { AppEnv } from "./app-env.ts"
import { checkInput, MAX_FAULTS } from "./check-input.ts"
import type { Deprecated } from "./deprecation.ts"
import { parseIdempotencyKey } from "./idempotency.ts"
import { jsonBodies, jsonOnly, MAX_JSON_BYTES, MAX_OPEN_BYTES, MAX_SERVERS_BYTES } from "./json-bodies.ts"
import { PAGE_USER_PARAM } from "./page-user.ts"
import type { Tagged } from "./preconditions.ts"
import { strictQuery, withoutEmpty } from "./query.ts"
import { validationError } from "./validation-error.ts"
import { parseIfMatch } from "./versions.ts"

type Shape = z.ZodType<Record<string, unknown>>

/** One operation of the API. Its schemas validate requests and generate the documentation. */
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
  /** Request headers besides Authorization, for the documentation. The operation reads them itself. */
  headers?: { name: string; description: string; required: boolean; example: string }[]
  body?: Body
  /** Needs neither a session nor a key; documented as `security: []`. */
  open?: true
  /** Only a page of ours calls it, and it may change with the page. It is in no list and no document. */
  ofPage?: true
  /** Only another server calls it and authenticates with a secret. So the request's origin is not checked. */
  byServer?: true
  /** Follows the API of another service in its errors, and has no method in our client. */
  dialect?: Dialect
  /** The largest JSON body, if it is not the usual limit. */
  maxBytes?: number
  /** The numbers of the body keep their digits (parseExact). In all others, a number that would change is refused. */
  keepsNumbers?: true
  /** The body is a file, which the operation reads itself. */
  upload?: boolean
  /**
   * Accepts an Idempotency-Key, as `once` of its input. "replayed": its verb stores the result under
   * the key. "naturally": a repeat has no further effect; the description says what the key does.
   */
  idempotent?: "replayed" | "naturally"
  /**
   * Returns one row with a `version`, which becomes the ETag. "checked": edits that row and accepts
   * If-Match, as `ifVersion` of its input.
   */
  versioned?: "shown" | "checked"
  /**
   * Configuration without a version of its own: the answer has an ETag of its content, and changes evaluate If-Match
   * and If-None-Match against the object as the GET of the same path returns it.
   */
  tagged?: Tagged
  answer: {
    /** 302: has no body; the header Location has the target. */
    status: 200 | 201 | 202 | 302
    description: string
    schema: Answer
    headers?: Record<string, string>
    /** Other media types that the caller can request, with their contents. */
    also?: Record<string, string>
    /** Returns bytes of any media type, which the operation serves itself. */
    binary?: boolean
    /** Other statuses with the same headers and schema, and with the media types of `also`. */
    alike?: Record<number, string>
    /** 202 instead of the answer: it is made later, and this object tells how far it is. */
    later?: { description: string; schema: z.ZodType }
    /** Other statuses that are not errors. */
    others?: Record<number, string>
    /** Statuses of errors that can have the schema and the media types of the main answer instead. */
    failing?: Record<number, string>
  }
  /** The codes that its verb can throw. Codes that follow from other fields, such as VALIDATION_FAILED, are added. */
  errors: readonly ErrorCode[]
  /**
   * The least scope of a key that may call it. Its verb rejects other keys, too. Here it decides only which error a
   * request with a fault in its content gets.
   */
  keyScope?: "created" | "all" | "live all"
  /**
   * The least role of a signed-in caller in the shared space that the path names, or in the space of its turn. As for
   * `keyScope`, its verb rejects others, too.
   */
  spaceRole?: SpaceRoleCheck
  /** Its end is announced: in the document, and by headers of each response. */
  deprecated?: Deprecated
  /** Example fields that replace the ones generated from the schemas. */
  example?: { body?: object; answer?: object }
}

/** The documented form of an operation that needs a fresh proof, always or in some cases. */
export const guarded = (operation: Operation, guard: Guard): Operation => ({
  ...operation,
  description: [operation.description ?? `${operation.summary}.`, guardText(guard)].join(" "),
  errors: ["REAUTHENTICATION_REQUIRED", ...operation.errors],
})

export interface Input<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  /** The request's Idempotency-Key, if the operation accepts one and the request has one. */
  once: Once | undefined
  /** The version in If-Match. Null: any version, or no header. -1: a tag that matches no version. */
  ifVersion: number | null
}

/** The validators of an operation, in the order in which they report faults. */
export function validatorsOf(operation: Operation): MiddlewareHandler<AppEnv>[] {
  const validators: MiddlewareHandler[] = isForPages(operation) && !operation.upload ? [jsonOnly] : []
  if (operation.params) validators.push(zValidator("param", operation.params, refuse, checked))
  // Clients of another service's API may send parameters that only that service has.
  const query = operation.query ?? (operation.dialect ? undefined : NO_QUERY)
  if (query)
    validators.push(
      refuseHiddenQuery,
      refuseRepeated(query),
      zValidator("query", query, refuse, isListForPages(operation) ? checkedFilled : checked),
    )
  // An operation without a body does not read one.
  if (operation.body)
    validators.push(
      ...jsonBodies(maxBytesOf(operation), operation.keepsNumbers),
      zValidator("json", operation.body, refuse, checked),
    )
  return validators
}

const NO_QUERY = strictQuery({})

/** Hono would drop this parameter, since assigning it to an object sets the prototype. */
const refuseHiddenQuery: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { searchParams } = new URL(c.req.url)
  if (!searchParams.has("__proto__")) return next()
  throw validationError(
    [{ code: "custom", path: ["__proto__"], message: "There is no such field.", input: undefined }],
    "query",
  )
}

/** Refuses a parameter that is sent more than once, unless it is a list. Its schema would only say "not a string". */
function refuseRepeated(query: Shape): MiddlewareHandler<AppEnv> {
  const fields = query instanceof z.ZodObject ? (query.shape as Record<string, z.ZodType>) : {}
  return async (c, next) => {
    const { searchParams } = new URL(c.req.url)
    const issues = [...new Set(searchParams.keys())].flatMap((name): z.core.$ZodIssue[] => {
      const [field, values] = [Object.hasOwn(fields, name) && fields[name], searchParams.getAll(name)]
      if (!field || values.length < 2 || field.safeParse(["a", "a"]).success) return []
      const times = values.length === 2 ? "twice" : `${values.length} times`
      return [{ code: "custom", path: [name], message: `was sent ${times}, and can have one value`, input: values }]
    })
    if (issues.length > 0) throw validationError(issues, "query")
    return next()
  }
}

function maxBytesOf({ open, byServer, maxBytes }: Operation): number {
  if (maxBytes !== undefined) return maxBytes
  if (byServer) return MAX_SERVERS_BYTES
  return open ? MAX_OPEN_BYTES : MAX_JSON_BYTES
}

/**
 * Forms of our pages send empty fields on purpose. In an integrator's request they are a mistake: an
 * empty `end_user_ref=` must not list all end users, and an empty `dry_run=` must not have an effect.
 */
const isListForPages = (operation: Operation) => isForPages(operation) && operation.method === "get"

const isForPages = ({ path }: Operation) => path.startsWith("/api/")

const checked = { validationFunction: checkInput }
const checkedFilled: typeof checked = {
  validationFunction: (schema, value) => checkInput(schema, withoutPageUser(withoutEmpty(value))),
}

/** `sessionAuth` has read it, for every operation. */
function withoutPageUser(query: unknown): unknown {
  const { [PAGE_USER_PARAM]: _, ...others } = query as Record<string, unknown>
  return others
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
 * Faults for texts that PostgreSQL cannot store: NUL, which its text type does not allow, or a lone
 * surrogate, which UTF-8 cannot encode. It checks all inputs, including keys of records.
 */
function unstorable(value: unknown, path: PropertyKey[]): z.core.$ZodIssue[] {
  if (typeof value === "string") {
    if (!value.includes("\0") && value.isWellFormed()) return []
    return [{ code: "custom", path, message: "contains a NUL character or half of a surrogate pair", input: value }]
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

/** Path parameters whose values may contain slashes, encoded or not, as in the pin `rehearsal/standard`. */
const WITH_SLASHES = ["pin", "chat_key"]

/** An OpenAPI path in Hono's syntax. */
export const honoPath = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) => (WITH_SLASHES.includes(name) ? `:${name}{.+}` : `:${name}`))
