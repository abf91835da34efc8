import { SHARED_TYPES } from "./dialects.ts"
import { errorFields } from "./error-body.ts"
import type { TurnpikeError } from "./errors.ts"

const TYPES: Readonly<Partial<Record<number, string>>> = {
  ...SHARED_TYPES,
  402: "billing_error",
  413: "request_too_large",
  503: "overloaded_error",
  504: "timeout_error",
}

/** The value of `type` in Anthropic's errors. */
const typeOf = ({ status }: TurnpikeError): string =>
  TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error")

/** An error with the fields of Anthropic's errors, in addition to ours. */
export const anthropicError = (error: TurnpikeError, requestId: string) => ({
  type: "error" as const,
  error: { ...errorFields(error, requestId), type: typeOf(error) },
  request_id: requestId,
})
