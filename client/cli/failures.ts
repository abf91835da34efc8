import { AuthenticationError, ConnectionError, PermissionError, ServerError, TurnpikeError } from "../src/errors.ts"
import { HINTS } from "./hints.ts"

/** The exit codes of all commands, and what each means. */
export const EXIT_CODES = {
  ok: { code: 0, means: "The command did its work." },
  broken: { code: 1, means: "An unexpected error." },
  usage: { code: 2, means: "An argument, an option or a file is wrong." },
  access: { code: 3, means: "There is no API key, or the service does not allow it to do this (401, 403)." },
  refused: { code: 4, means: "The service rejected the request (other 4xx)." },
  unavailable: { code: 5, means: "The service did not respond, or it failed (5xx)." },
  turn: { code: 6, means: "The turn failed or was cancelled." },
  differs: { code: 7, means: "`diff` found differences." },
  interrupted: { code: 130, means: "Ctrl-C ended the command." },
} as const

export type Exit = keyof typeof EXIT_CODES

/** An error that a command explains itself, with the next step as its hint. */
export class CommandError extends Error {
  readonly exit: Exit
  readonly hint: string | undefined

  constructor(message: string, { exit = "usage", hint }: { exit?: Exit; hint?: string } = {}) {
    super(message)
    this.exit = exit
    this.hint = hint
  }
}

/** Everything that a failure shows, on the terminal and with --json. */
export interface Failure {
  exit: Exit
  code: string
  message: string
  param?: string | undefined
  hint?: string | undefined
  request_id?: string | undefined
  retry_after?: number | undefined
  details?: unknown
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError)
    return { exit: error.exit, code: error.exit.toUpperCase(), message: error.message, hint: error.hint }
  if (!(error instanceof TurnpikeError)) {
    // The client throws a TypeError for options that it rejects before it sends anything.
    const isUsage = error instanceof TypeError && error.message.startsWith("Turnpike: ")
    const message = error instanceof Error ? error.message : String(error)
    return { exit: isUsage ? "usage" : "broken", code: isUsage ? "USAGE" : "UNEXPECTED", message }
  }
  const { code, message, param, requestId, retryAfter, details } = error
  return {
    exit: exitOf(error),
    code,
    message,
    param,
    hint: HINTS[code] ?? (error instanceof ConnectionError ? NO_CONNECTION : undefined),
    request_id: requestId,
    retry_after: retryAfter,
    details,
  }
}

const NO_CONNECTION = "Check TURNPIKE_BASE_URL, and that the service runs."

function exitOf(error: TurnpikeError): Exit {
  if (error instanceof AuthenticationError || error instanceof PermissionError) return "access"
  if (error instanceof ConnectionError || error instanceof ServerError) return "unavailable"
  return "refused"
}
