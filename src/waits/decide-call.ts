import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs, callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Made, Once } from "../actor/once.ts"
import { spaceRoleRequired } from "../actor/shares.ts"
import { jsonBytes } from "../agent-config/request-parts.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { inputFault } from "../tools/input-fault.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { TURN_WAIT_POLICY } from "../turns/policies.ts"
import { turnSchema } from "../turns/schemas.ts"
import type { StoredWaiting } from "../turns/turn-row.ts"
import { callParam } from "./call-id.ts"
import { goOn } from "./go-on.ts"
import { sentAnswer } from "./sent-answer.ts"

const MAX_INPUT_BYTES = 64 * 1024

export const decisionSchema = z
  .strictObject({
    decision: z.enum(["allow", "deny"]).meta({ description: "`deny`: the call is not made, and the agent is told." }),
    input: z
      .record(z.string(), z.unknown())
      .refine((input) => jsonBytes(input) <= MAX_INPUT_BYTES, `is larger than ${MAX_INPUT_BYTES} bytes of JSON`)
      .optional()
      .meta({
        description: "Another input for an allowed call. It must fit the tool's schema. Default: the agent's input.",
        example: { order: "A-1", amount: 40 },
      }),
    message: z
      .string()
      .min(1)
      .max(TURN_WAIT_POLICY.messageCharacters)
      .optional()
      .meta({ description: "A text for the agent if the call is denied.", example: "Ask a manager first." }),
  })
  .refine(({ decision, input }) => decision === "allow" || input === undefined, {
    message: "is only possible with the decision allow",
    path: ["input"],
  })
  .meta({ id: "Decision" })

type Decision = z.infer<typeof decisionSchema>

/** The answer to a decision. It has nothing that can change later, so each repeat gets the same one. */
export const decidedCallSchema = z
  .object({
    turn_id: turnSchema.shape.turn_id,
    call: callParam,
    decision: z.enum(["allow", "deny"]).meta({ description: "The decision that counts." }),
    edited: z.boolean().meta({ description: "True if the call gets another input." }),
    decided_at: z.string().meta({ description: "When the decision was made.", example: "2026-11-20T12:00:00.000Z" }),
  })
  .meta({ id: "DecidedCall" })

/** The decision about a call that was made before, and who made it: a user, or an end user in a portal. */
export const earlierDecisionSchema = z
  .object({
    ...decidedCallSchema.pick({ decision: true, edited: true, decided_at: true }).shape,
    user_id: z.int().nullable().meta({ example: 42 }),
    name: z.string().nullable().meta({ example: "Ada" }),
    key_id: z.string().nullable().meta({ example: null }),
    end_user_ref: z.string().nullable().meta({ example: null }),
  })
  .meta({ id: "EarlierDecision", description: "The decision about the call that was made before." })

export const DECIDE_CALL_ERRORS = [
  "NOT_FOUND",
  "TURN_FINISHED",
  "CALL_DECIDED",
  "CALL_NOT_WAITING",
  "SPACE_ROLE_REQUIRED",
] as const

/**
 * Decides about a call that waits for it. The first decision wins; the same one again has no effect and the same
 * answer, as long as the turn is kept. Throws NOT_FOUND, CALL_DECIDED, CALL_NOT_WAITING, TURN_FINISHED,
 * SPACE_ROLE_REQUIRED, IDEMPOTENCY_KEY_REUSED, or VALIDATION_FAILED for an edited input that does not fit.
 */
export async function decideCall(
  ctx: Context,
  credential: Credential,
  { turnId, call, body }: { turnId: string; call: string; body: Decision },
  once?: Once,
): Promise<Made<z.infer<typeof decidedCallSchema>>> {
  const sent = await sentAnswer(ctx, "decision", { turnId, call, body })
  if (body.input) await checkInput(ctx, credential, sent, body.input)
  const now = ctx.clock.now()
  const { row } = await callOnce(ctx, credential, "decide_call", {
    once,
    args: {
      sent,
      decision: body.decision,
      input: body.input ?? null,
      message: body.message ?? null,
      event_ids: [newId("event", now), newId("event", now)],
    },
  })
  const { turn } = row
  switch (row.outcome) {
    case "role":
      throw spaceRoleRequired("admin", { turn_id: turnId })
    case "ended":
      throw new TurnpikeError("TURN_FINISHED", `The turn is already ${turn?.state}.`, {
        details: { state: turn?.state, ...earlierIn(row.earlier) },
      })
    case "other":
      throw new TurnpikeError("CALL_DECIDED", "Another decision about this call was made before.", {
        details: earlierIn(row.earlier),
      })
    case "not_asked":
      throw new TurnpikeError("CALL_NOT_WAITING", notAsked(storedRow<StoredWaiting | null>(turn?.waiting ?? null), now))
  }
  if (!turn || row.decided_at === null) throw turnNotFound(turnId)
  goOn(ctx, row)
  return {
    made: {
      turn_id: turnId,
      call,
      decision: body.decision,
      edited: body.input !== undefined,
      decided_at: row.decided_at.toISOString(),
    },
    replayed: row.outcome === "same",
  }
}

/** `now`: the moment of the decision. A wait is over then, even if the turn has not ended yet. */
function notAsked(waiting: StoredWaiting | null | undefined, now: Date): string {
  if (!waiting || new Date(waiting.expires_at) > now) return "This call does not wait for a decision."
  return `The wait for this decision ended at ${toInstant(waiting.expires_at)}, so the call is not made.`
}

/** The decision that was made before, for the details of an error. Empty without one. */
const earlierIn = (earlier: Answers["earlier_decision"] | null) =>
  earlier?.decision ? { earlier: { ...earlier, decided_at: toInstant(earlier.decided_at) } } : {}

/** Checks an edited input against the schema with which the tool was offered to the agent. */
async function checkInput(
  ctx: Context,
  credential: Credential,
  { turn_id, step, call }: { turn_id: string; step: number; call: number },
  input: Record<string, unknown>,
): Promise<void> {
  const { row } = await callAs(ctx, credential, "call_schema", { turn_id, step, call })
  // The decision itself reports a call that does not exist.
  if (!row.call?.turn_id) return
  const fault = inputFault(row.call.input_schema as Record<string, unknown>, input)
  if (fault !== null) throw new TurnpikeError("VALIDATION_FAILED", fault, { param: "input" })
}
