import * as z from "zod"
import { MEMBER_CODES } from "../actor/actor.ts"
import { ERROR_CODES, type ErrorCode } from "../base/errors.ts"
import type { Operation } from "../http/operation.ts"
import { DOORS } from "../http/policies.ts"
import { errorUnion } from "./error-schemas.ts"
import { BODY_CODES, type Surface } from "./surface.ts"

const CODES = (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => ERROR_CODES[code].status !== 422)

const dashboardError = errorUnion(
  CODES,
  {
    detail: z.string().meta({ example: 'There is no key "key_1".' }),
    param: z.string().optional().meta({ description: "The field that is wrong." }),
  },
  {
    idOf: (name) => `Dashboard${name}ErrorBody`,
    others: z.object({
      start_again: z
        .string()
        .optional()
        .meta({ description: "The path at which to start the sign-in again. Only errors of a sign-in have it." }),
    }),
  },
).meta({ id: "DashboardError" })

const validationErrorBody = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.int()])).meta({ example: ["body", "name"] }),
        msg: z.string(),
        type: z.string().meta({ example: "string_too_short" }),
      }),
    ),
  })
  .meta({ id: "HTTPValidationError" })

/** The codes of a caller who may not call an operation at all, or not from there. */
function callerCodesOf({ method, path, open, byServer }: Operation): ErrorCode[] {
  const session: ErrorCode[] = ["SESSION_REQUIRED", "SECOND_FACTOR_REQUIRED", "SIGNED_IN_AS_OTHER"]
  const changes = method !== "get"
  return [
    ...(open ? [] : session),
    ...(!open && path.startsWith("/api/account/") ? MEMBER_CODES : []),
    ...(path.startsWith("/api/admin/") ? (["ADMIN_REQUIRED", "SECOND_FACTOR_NOT_SET_UP"] as const) : []),
    ...(changes && path.startsWith("/api/account/") ? (["ACTING_READ_ONLY"] as const) : []),
    ...(changes && !byServer ? (["CROSS_ORIGIN"] as const) : []),
  ]
}

/** An operation without a body refuses one that is not JSON, too. */
const bodyCodesOf = ({ method, body, upload }: Operation): ErrorCode[] =>
  body ? BODY_CODES : method === "get" || upload ? [] : ["UNSUPPORTED_MEDIA_TYPE"]

export const DASHBOARD_SURFACE: Surface = {
  info: {
    title: "Turnpike dashboard",
    version: "0.1.0",
    description:
      "The API of the dashboard, for signed-in users. A request that changes something needs " +
      "`Sec-Fetch-Site: same-origin`, which browsers send, or an `Origin` header with this server's own origin. Bodies are JSON. " +
      "A page says in `X-Turnpike-User` for which user id it was made (`42`), and which account it shows (`42/57` while an admin acts as user " +
      "57, or while user 42 acts for account 57 as its member; each request looks up the member's role). If another user is signed in by then, the response is 409 SIGNED_IN_AS_OTHER, and nothing is done. A GET accepts the same as the " +
      "query parameter `page_user`.",
  },
  securitySchemes: {
    session: {
      type: "apiKey",
      in: "cookie",
      name: "token",
      description: "The session cookie. Every way to sign in sets it.",
    },
  },
  // Only keys have a scope.
  foreign: ["SCOPE_DENIED"],
  codesOf: (operation) => [
    ...callerCodesOf(operation),
    ...(`${operation.method.toUpperCase()} ${operation.path}` in DOORS ? (["LOGIN_THROTTLED"] as const) : []),
    "HTTPS_REQUIRED",
    "METHOD_NOT_ALLOWED",
    "INTERNAL",
    "UNAVAILABLE",
    ...bodyCodesOf(operation),
  ],
  errorSchema: (status) => (status === 422 ? validationErrorBody : dashboardError),
}
