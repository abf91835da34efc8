import { TurnpikeError } from "./errors.ts"

/** The error for one field of a request. `param`: its path, such as `messages.0.content.1`. */
export function invalid(message: string, param: string): TurnpikeError {
  return new TurnpikeError("VALIDATION_FAILED", `${param}: ${message}`, { param, details: [{ param, message }] })
}
