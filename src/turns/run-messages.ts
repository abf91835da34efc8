import * as z from "zod"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import type { Push } from "./pushed-text.ts"
import { createTurnSchema } from "./schemas.ts"
import type { TurnRow } from "./turn-row.ts"

/** The path on which the callbacks worker accepts a turn and runs it, while another worker's request waits. */
export const RUN_TURN_PATH = "/callbacks/internal/run-turn"

/** A request for a turn, as the worker of /v1 passes it on. `credential`: not looked up yet. */
export const runTurnInput = z.strictObject({
  credential: z.strictObject({ kind: z.literal("key"), hash: z.string(), test: z.boolean() }),
  request_id: z.string(),
  address: z.string().nullable(),
  turn_id: z.string(),
  /** True if the request reads the events of the turn. */
  reads: z.boolean(),
  position: z.int().nullable(),
  idempotency_key: z.string(),
  trace: z.strictObject({ traceparent: z.string(), tracestate: z.string().nullable() }).nullable(),
  body: createTurnSchema,
})

/** A line of the answer. `alive`: nothing new. */
export type RunMessage =
  /** The first line. `runs`: this answer lasts as long as the run of the turn. */
  | { kind: "accepted"; turn: TurnRow; replayed: boolean; runs: boolean }
  | { kind: "refused"; error: SentError }
  /** For the reader of the turn's events. */
  | { kind: "push"; push: Push }
  | { kind: "alive" }
  /** The run is over, but perhaps not the turn: a runner may continue it, or it may wait. */
  | { kind: "over" }

interface SentError {
  code: ErrorCode
  message: string
  details: unknown
  param: string | null
  retryable: boolean
  retryAfter: number | null
}

export function sentError(error: TurnpikeError): SentError {
  const { code, message, details, retryable, param = null, retryAfter = null } = error
  return { code, message, details, retryable, param, retryAfter }
}

export function errorSent({ code, message, details, retryable, param, retryAfter }: SentError): TurnpikeError {
  return new TurnpikeError(code, message, {
    retryable,
    ...(details !== undefined && { details }),
    ...(param !== null && { param }),
    ...(retryAfter !== null && { retryAfter }),
  })
}
