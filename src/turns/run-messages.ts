import * as z from "zod"
import type { Credential, SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import type { ShownRate } from "../platform/turn-windows.ts"
import type { Push } from "./pushed-text.ts"
import { createTurnSchema } from "./schemas.ts"
import type { TurnRow } from "./turn-row.ts"

/** The path on which the callbacks worker accepts a turn and runs it, while another worker's request waits. */
export const RUN_TURN_PATH = "/callbacks/internal/run-turn"

/** A request for a turn, as the worker that received it passes it on. `credential`: not looked up yet. */
export const runTurnInput = z.strictObject({
  credential: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("key"), hash: z.string(), test: z.boolean() }),
    z.strictObject({ kind: z.literal("session"), sealed: z.string() }),
  ]),
  request_id: z.string(),
  address: z.string().nullable(),
  turn_id: z.string(),
  /** True if the request reads the events of the turn. */
  reads: z.boolean(),
  position: z.int().nullable(),
  idempotency_key: z.string(),
  trace: z.strictObject({ traceparent: z.string(), tracestate: z.string().nullable() }).nullable(),
  // A chat of the web app has no end user (OWNER_REF).
  body: createTurnSchema.safeExtend({ end_user_ref: createTurnSchema.shape.end_user_ref.or(z.literal("")) }),
})

type PassedCredential = z.output<typeof runTurnInput>["credential"]

/** A session's token is no hash, so it is sealed. It opens only in the call for this turn. */
const sealOf = (turnId: string) => ({ table: "internal_calls", column: "session", row: turnId, owner: "" })

/** A credential for another worker. */
export async function passCredential(
  { keyRing }: Pick<Context, "keyRing">,
  credential: Credential,
  turnId: string,
): Promise<PassedCredential> {
  if (credential.kind === "session")
    return { kind: "session", sealed: await keyRing.seal(JSON.stringify(credential), sealOf(turnId)) }
  return { kind: "key", hash: credential.hash, test: credential.test }
}

/** The credential that another worker has passed. */
export async function passedCredential(
  { keyRing }: Pick<Context, "keyRing">,
  passed: PassedCredential,
  turnId: string,
): Promise<Credential> {
  if (passed.kind === "key") return passed
  const { text } = await keyRing.open(passed.sealed, sealOf(turnId))
  return JSON.parse(text) as SessionCredential
}

/** A line of the answer. `alive`: nothing new. */
export type RunMessage =
  /** The first line. `runs`: this answer lasts as long as the run of the turn. `rates`: those of the caller. */
  | { kind: "accepted"; turn: TurnRow; replayed: boolean; runs: boolean; rates: ShownRate[] }
  | { kind: "refused"; error: SentError; rates: ShownRate[] }
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
