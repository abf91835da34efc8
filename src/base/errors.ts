import { ADMIN_CODES } from "./admin-codes.ts"
import { BROWSER_CODES } from "./browser-codes.ts"
import { CALL_CODES } from "./call-codes.ts"
import { REFUND_CODES } from "./refund-codes.ts"
import { REQUEST_CODES } from "./request-codes.ts"
import { RESALE_CODES } from "./resale-codes.ts"
import { SIGN_IN_CODES } from "./sign-in-codes.ts"
import { WEBHOOK_CODES } from "./webhook-codes.ts"

export interface ErrorEntry {
  status: number
  /** True if the same request can succeed later. */
  retryable: boolean
  cause: string
  cure: string
  /** True if only /api returns the code. */
  dashboard?: true
}

/** Every code that an operation can return. */
export const ERROR_CODES = {
  INVALID_JSON: {
    status: 400,
    retryable: false,
    cause: "The body is not valid JSON in UTF-8.",
    cure: "Send a JSON object, encoded as UTF-8.",
  },
  ...REQUEST_CODES,
  IDEMPOTENCY_KEY_REQUIRED: {
    status: 400,
    retryable: false,
    cause: "The Idempotency-Key header is missing.",
    cure: "Send a unique key per logical request. Send the same key when you retry.",
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    retryable: false,
    cause: "The Idempotency-Key is not 1–255 printable ASCII characters.",
    cure: "Use a UUID, or your own id for the request.",
  },
  INVALID_API_KEY: {
    status: 401,
    retryable: false,
    cause: "The API key is missing, malformed, mistyped, unknown or revoked.",
    cure: "Send `Authorization: Bearer <API_KEY>` with a live key of this account.",
  },
  ...BROWSER_CODES,
  API_KEY_EXPIRED: {
    status: 401,
    retryable: false,
    cause: "The API key has expired.",
    cure: "Create a new key in the dashboard.",
  },
  SESSION_REQUIRED: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The request has no session, or the session has expired or was ended.",
    cure: "Sign in.",
  },
  ...ADMIN_CODES,
  ...SIGN_IN_CODES,
  ...RESALE_CODES,
  CROSS_ORIGIN: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "A request that changes data did not come from a page of this origin.",
    cure: "Send the request from the dashboard, or with this server's own origin in the header `Origin`.",
  },
  HTTPS_REQUIRED: {
    status: 403,
    retryable: false,
    cause: "The request came over http.",
    cure: "Use https. If the request had an API key, revoke the key, because it travelled in clear text.",
  },
  INVALID_SIGNATURE: {
    status: 401,
    retryable: false,
    cause: "A callback was not signed by the queue for this URL and body, or the signature has expired.",
    cure: "Do not call this path. Only the queue uses it.",
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    retryable: false,
    cause: "The available balance is lower than the turn needs. Credit that running turns hold is not available.",
    cure: "Top up, or wait for running turns to release their holds.",
  },
  SCOPE_DENIED: {
    status: 403,
    retryable: false,
    cause: "The key's scope does not cover this operation.",
    cure: "Use a key with a wider scope.",
  },
  SPACE_ROLE_REQUIRED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The space is shared with you. Only its owner, and the owners and admins of its workspace, can change it.",
    cure: "Ask one of them to make the change, or ask an operator for a role in the workspace.",
  },
  ROLE_REQUIRED: {
    status: 403,
    retryable: false,
    cause:
      "The caller's role in the account does not allow this operation. `details` has the role and the roles that may.",
    cure: "Ask an owner of the account. A key that a developer made changes no prices, wallets and limits.",
  },
  END_USER_BLOCKED: {
    status: 403,
    retryable: false,
    cause: "The account has blocked this end_user_ref, so it cannot send new turns.",
    cure: "Unblock it with `PUT /v1/end-users/{end_user_ref}/limits`.",
  },
  NOT_FOUND: {
    status: 404,
    retryable: false,
    cause:
      "The object does not exist, or the caller cannot access it. A test key can access only test data, a live key only live data.",
    cure: "Check the id, the key's scope, and whether the key is a test key.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retryable: false,
    cause: "The path does not support this method.",
    cure: "Use one of the methods in the Allow header.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retryable: true,
    cause: "The body arrived too slowly: no data for half a minute, or the whole body took too long.",
    cure: "Send the same request again over a faster connection.",
  },
  TURN_FINISHED: {
    status: 409,
    retryable: false,
    cause: "The turn is already done or failed.",
    cure: "Read its result. It cannot be cancelled or changed any more.",
  },
  ...CALL_CODES,
  ...REFUND_CODES,
  BALANCE_TOO_LOW: {
    status: 409,
    retryable: false,
    cause: "The correction is larger than the available balance. Credit that running turns hold is not available.",
    cure: "Use a smaller amount, or wait until the account's turns have ended.",
  },
  KEY_REVOKED: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The API key is revoked. A revocation cannot be undone.",
    cure: "Create a new key.",
  },
  SPACE_ARCHIVED: {
    status: 409,
    retryable: false,
    cause: "The space is archived. You can read it, but it accepts no turns, files or changes.",
    cure: "Use another space. Archiving cannot be undone.",
  },
  ...WEBHOOK_CODES,
  LIMIT_REACHED: {
    status: 409,
    retryable: false,
    cause: "The account has reached its limit for this kind of object.",
    cure: "Delete objects that you no longer need. If `details` names a cap, `GET /v1/me` shows the limit and its usage.",
  },
  CONFLICT: {
    status: 409,
    retryable: true,
    cause: "Another request changed the same data at the same time.",
    cure: "Read the data again and retry.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    cause: "The body is larger than the limit.",
    cure: "Send a smaller body. Put large data into files.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    retryable: false,
    cause:
      "The operation does not accept a body of this type, charset or Content-Encoding. All operations accept JSON in UTF-8, except uploads.",
    cure: "Send `Content-Type: application/json` and an uncompressed body. Send a file as multipart/form-data, or as the raw body.",
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    retryable: false,
    cause: "The Range header asks for bytes that the file does not have.",
    cure: "Read the file's size from the header Content-Range, and request bytes within it.",
  },
  VALIDATION_FAILED: {
    status: 422,
    retryable: false,
    cause: "A field, query parameter or path parameter is invalid.",
    cure: "Correct the fields that `param` and `details` name, and send the request again.",
  },
  COST_LIMIT_TOO_LOW: {
    status: 422,
    retryable: false,
    cause: "The turn's `max_cost_usd` is lower than the possible cost of its first model call.",
    cure: "Raise `max_cost_usd` to at least `details.needed_usd`, or leave it out.",
  },
  TURN_FAILED: {
    status: 422,
    retryable: false,
    cause: "The turn of a chat completion failed or was cancelled, so there is no reply. Its work is billed.",
    cure: "Read `details`: it has the turn, its state and the reason. A new request is a new turn.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    retryable: false,
    cause: "The Idempotency-Key was used for a different request, or for a turn that was erased.",
    cure: "Use a new key for a new request. To repeat the earlier request, send exactly the same body.",
  },
  QUOTA_EXCEEDED: {
    status: 429,
    retryable: true,
    cause:
      "A cap is reached, or another limit. Caps are those of the key, the end user, the account's plan and the space's members. " +
      "Other limits are the number of test turns, `open_waits` and `portal_sessions`. `details` says which.",
    cure:
      "Wait `Retry-After` seconds until the cap resets, or raise the cap. `details` names the cap and its spent and reserved " +
      "amounts. If `retryable` is false, there is no `Retry-After`: the cap is too small for this turn at any time.",
  },
  INTERNAL: {
    status: 500,
    retryable: true,
    cause: "Something failed on our side.",
    cure: "Retry with the same Idempotency-Key. If it keeps failing, contact support with the request id.",
  },
  UNAVAILABLE: {
    status: 503,
    retryable: true,
    cause: "A part of the service does not respond.",
    cure: "Retry with the same Idempotency-Key after Retry-After seconds.",
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERROR_CODES

/** The codes that /v1 can return. */
export const API_CODES = (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => !("dashboard" in ERROR_CODES[code]))

/** One validation error of a request. */
export interface Fault {
  location: "body" | "query" | "path"
  path: (string | number)[]
  /** The type as Pydantic names it: "missing", "string_too_short", … */
  type: string
  message: string
}

interface ErrorExtras {
  /** The field or parameter that is wrong. */
  param?: string
  details?: unknown
  /** Every validation error of the request. */
  faults?: Fault[]
  /** The Retry-After header, in whole seconds. */
  retryAfter?: number
  /** Only if it differs from the table. */
  retryable?: boolean
  cause?: unknown
}

/** The only error that a verb throws on purpose. Each transport converts it to its own format, in one place. */
export class TurnpikeError extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly details: unknown
  readonly faults: readonly Fault[]
  readonly retryAfter: number | undefined
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause })
    this.name = "TurnpikeError"
    this.code = code
    this.param = extras.param
    this.details = extras.details
    this.faults = extras.faults ?? []
    this.retryAfter = extras.retryAfter
    this.retryable = extras.retryable ?? ERROR_CODES[code].retryable
  }

  get status() {
    return ERROR_CODES[this.code].status
  }
}
