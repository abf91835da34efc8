import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceRoleRequired } from "../actor/shares.ts"
import { jsonBytes } from "../agent-config/request-parts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { inputFault } from "../tools/input-fault.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { TURN_WAIT_POLICY } from "../turns/policies.ts"
import { type TurnRow, turnRowOf } from "../turns/turn-row.ts"
import { numbersOfCall } from "./call-id.ts"
import { goOn } from "./go-on.ts"

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

export const DECIDE_CALL_ERRORS = [
  "NOT_FOUND",
  "TURN_FINISHED",
  "CALL_DECIDED",
  "CALL_NOT_WAITING",
  "SPACE_ROLE_REQUIRED",
] as const

/**
 * Decides about a call that waits for it. The first decision wins; the same one again has no effect. Throws NOT_FOUND,
 * CALL_DECIDED, CALL_NOT_WAITING, TURN_FINISHED, SPACE_ROLE_REQUIRED, or VALIDATION_FAILED for an edited input that
 * does not fit.
 */
export async function decideCall(
  ctx: Context,
  credential: Credential,
  { turnId, call, body }: { turnId: string; call: string; body: Decision },
): Promise<TurnRow> {
  const at = { turn_id: turnId, ...numbersOfCall(call) }
  if (body.input) await checkInput(ctx, credential, at, body.input)
  const now = ctx.clock.now()
  const { row } = await callAs(ctx, credential, "decide_call", {
    ...at,
    decision: body.decision,
    input: body.input ?? null,
    message: body.message ?? null,
    event_ids: [newId("event", now), newId("event", now)],
  })
  const turn = turnRowOf(row)
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
      throw new TurnpikeError("CALL_NOT_WAITING", notAsked(turn, now))
  }
  if (!turn || row.outcome === "unknown") throw turnNotFound(turnId)
  goOn(ctx, row)
  return turn
}

/** `now`: the moment of the decision. A wait is over then, even if the turn has not ended yet. */
function notAsked(turn: TurnRow | null, now: Date): string {
  const until = turn?.waiting?.expires_at
  if (until === undefined || new Date(until) > now) return "This call does not wait for a decision."
  return `The wait for this decision ended at ${toInstant(until)}, so the call is not made.`
}

/** The decision that was made before, for the details of an error. Empty without one. */
const earlierIn = (earlier: Answers["earlier_decision"] | null) =>
  earlier?.decision ? { earlier: { ...earlier, decided_at: toInstant(earlier.decided_at) } } : {}

/** Checks an edited input against the schema with which the tool was offered to the agent. */
async function checkInput(
  ctx: Context,
  credential: Credential,
  at: { turn_id: string; step: number; call: number },
  input: Record<string, unknown>,
): Promise<void> {
  const { row } = await callAs(ctx, credential, "call_schema", at)
  // The decision itself reports a call that does not exist.
  if (!row.call?.turn_id) return
  const fault = inputFault(row.call.input_schema as Record<string, unknown>, input)
  if (fault !== null) throw new TurnpikeError("VALIDATION_FAILED", fault, { param: "input" })
}
