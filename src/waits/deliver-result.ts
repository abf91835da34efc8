import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { fingerprintsOf, type Made, type Once, replayedBy } from "../actor/once.ts"
import type { ToolOutput } from "../agent/engine.ts"
import { cutToBytes } from "../agent/estimate.ts"
import { wireBytes } from "../agent-config/request-parts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { callOne } from "../platform/db.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { turnSchema } from "../turns/schemas.ts"
import { callParam } from "./call-id.ts"
import { goOn } from "./go-on.ts"
import { sentAnswer } from "./sent-answer.ts"

/** The largest body of a result. */
export const MAX_RESULT_BODY_BYTES = 256 * 1024

const ofOutput = z.strictObject({
  output: z.unknown().meta({
    description: `The result: a text, or any JSON value, whose numbers keep their digits. At most ${TOOL_POLICY.maxResultBytes} bytes as text.`,
    example: { refunded: true },
  }),
})

const ofError = z.strictObject({
  error: z
    .string()
    .min(1)
    .max(TOOL_POLICY.maxErrorBytes)
    .meta({ description: "Why the call failed. The agent reads this text.", example: "The order does not exist." }),
})

export const callResultSchema = z.union([ofOutput, ofError]).meta({ id: "CallResult" })

type CallResult = z.infer<typeof callResultSchema>

interface Delivery {
  turnId: string
  call: string
  body: CallResult
}

/** The answer to a result: the same for each repeat and each credential, and nothing of the turn. */
export const takenResultSchema = z
  .object({
    turn_id: turnSchema.shape.turn_id,
    call: callParam,
    outcome: z.literal("taken").meta({ description: "The result counts." }),
  })
  .meta({ id: "TakenResult" })

type Taken = Made<z.infer<typeof takenResultSchema>>

export const DELIVER_RESULT_ERRORS = ["NOT_FOUND", "TURN_FINISHED", "CALL_ANSWERED", "CALL_NOT_WAITING"] as const

/**
 * Stores the result of a call that comes later. A result counts once: the same one again has no effect and the same
 * answer, as long as the turn is kept. Throws NOT_FOUND, CALL_ANSWERED, CALL_NOT_WAITING, TURN_FINISHED,
 * IDEMPOTENCY_KEY_REUSED or PAYLOAD_TOO_LARGE.
 */
export async function deliverResult(
  ctx: Context,
  credential: Credential,
  delivery: Delivery,
  once?: Once,
): Promise<Taken> {
  const { row } = await callOnce(ctx, credential, "deliver_result", { once, args: await argsOf(ctx, delivery) })
  return takenOf(ctx, delivery, row, row.turn?.state)
}

/** The same for a server with the token of the call, which does not learn the state of the turn. */
export async function deliverByToken(ctx: Context, token: string, delivery: Delivery, once?: Once): Promise<Taken> {
  const fingerprints = once ? await fingerprintsOf(ctx, once.request) : []
  const row = await callOne(ctx.db, "deliver_by_token", {
    token,
    once_key: once?.key ?? null,
    fingerprint: fingerprints[0] ?? null,
    ...(await argsOf(ctx, delivery)),
    moment: ctx.clock.now(),
  })
  replayedBy(row.already, fingerprints)
  return takenOf(ctx, delivery, row)
}

const argsOf = async (ctx: Context, delivery: Delivery) => ({
  sent: await sentAnswer(ctx, "result", delivery),
  output: outputOf(delivery.body),
  event_id: newId("event", ctx.clock.now()),
})

/** `state`: of the turn, for callers who may see it. */
function takenOf(
  ctx: Context,
  { turnId, call }: Delivery,
  row: Parameters<typeof goOn>[1] & { outcome: string | null },
  state?: string,
): Taken {
  refuse(row.outcome, state)
  if (row.outcome !== "taken" && row.outcome !== "same") throw turnNotFound(turnId)
  goOn(ctx, row)
  return { made: { turn_id: turnId, call, outcome: "taken" }, replayed: row.outcome === "same" }
}

/** `state`: of the ended turn, for callers who may see it. */
function refuse(outcome: string | null, state?: string): void {
  switch (outcome) {
    case "ended":
      throw new TurnpikeError(
        "TURN_FINISHED",
        `The turn ${state ? `is already ${state}` : "has ended"}, so the result has no effect.`,
        {
          ...(state !== undefined && { details: { state } }),
        },
      )
    case "other":
      throw new TurnpikeError("CALL_ANSWERED", "Another result of this call came before. This one has no effect.")
    case "not_awaited":
      throw new TurnpikeError("CALL_NOT_WAITING", "This call does not wait for a result.")
  }
}

function outputOf(body: CallResult): ToolOutput {
  if ("error" in body) return { type: "error", value: cutToBytes(body.error, TOOL_POLICY.maxErrorBytes) }
  const { output } = body
  const value = typeof output === "string" ? output : JSON.stringify(output)
  const made: ToolOutput = { type: "text", value: value === "" ? "(empty answer)" : value }
  const bytes = new TextEncoder().encode(value).length
  if (bytes > TOOL_POLICY.maxResultBytes || wireBytes(made) > TOOL_POLICY.maxWireBytes) {
    throw new TurnpikeError(
      "PAYLOAD_TOO_LARGE",
      `The output has ${bytes} bytes; at most ${TOOL_POLICY.maxResultBytes} are possible.`,
    )
  }
  return made
}
