import { SHARED_TYPES } from "./dialects.ts"
import type { TurnpikeError } from "./errors.ts"

/** The values of `type` in OpenAI's errors. */
function typeOf({ status }: TurnpikeError): string {
  if (status === 402) return "insufficient_quota"
  return SHARED_TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error")
}

/** An error with the fields of OpenAI's errors: its code is ours. */
export const openAiError = (error: TurnpikeError) => ({
  type: typeOf(error),
  code: error.code,
  message: error.message,
  param: error.param ?? null,
})
