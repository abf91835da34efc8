import type { TurnpikeError } from "./errors.ts"

/** The fields of an error in answers of /v1. */
export const errorFields = (error: TurnpikeError, requestId: string) => ({
  code: error.code,
  message: error.message,
  ...(error.param !== undefined && { param: error.param }),
  ...(error.details !== undefined && { details: error.details }),
  retryable: error.retryable,
  request_id: requestId,
})
