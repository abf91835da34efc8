import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { ToolOutput } from "../agent/engine.ts"
import { cutToBytes } from "../agent/estimate.ts"
import { wireBytes } from "../agent-config/request-parts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { hashRequest } from "../base/request-hash.ts"
import { callOne } from "../platform/db.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { type TurnRow, turnRowOf } from "../turns/turn-row.ts"
import { numbersOfCall } from "./call-id.ts"
import { goOn } from "./go-on.ts"

/** The largest body of a result. */
export const MAX_RESULT_BODY_BYTES = 256 * 1024

const ofOutput = z.strictObject({
  output: z.unknown().meta({
    description: `The result: a text, or any JSON value. At most ${TOOL_POLICY.maxResultBytes} bytes as text.`,
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

/** The answer to a server that has only the token of the call: nothing of the turn. */
export const receivedResultSchema = z.object({
  turn_id: z.string(),
  call: z.string(),
  // `same`: the same result came before.
  outcome: z.enum(["taken", "same"]),
})

export const DELIVER_RESULT_ERRORS = ["NOT_FOUND", "TURN_FINISHED", "CALL_ANSWERED", "CALL_NOT_WAITING"] as const

/**
 * Stores the result of a call that comes later. A result counts once: the same one again has no effect. Throws
 * NOT_FOUND, CALL_ANSWERED, CALL_NOT_WAITING, TURN_FINISHED or PAYLOAD_TOO_LARGE.
 */
export async function deliverResult(ctx: Context, credential: Credential, delivery: Delivery): Promise<TurnRow> {
  const { row } = await callAs(ctx, credential, "deliver_result", argsOf(ctx, delivery))
  const turn = turnRowOf(row)
  refuse(row.outcome, turn?.state)
  if (!turn || row.outcome === "unknown") throw turnNotFound(delivery.turnId)
  goOn(ctx, row)
  return turn
}

/** The same for a server with the token of the call. It learns nothing of the turn but whether its result counts. */
export async function deliverByToken(
  ctx: Context,
  token: string,
  delivery: Delivery,
): Promise<z.infer<typeof receivedResultSchema>> {
  const moment = ctx.clock.now()
  const row = await callOne(ctx.db, "deliver_by_token", { token, ...argsOf(ctx, delivery), moment })
  refuse(row.outcome)
  if (!row.turn || (row.outcome !== "taken" && row.outcome !== "same")) throw turnNotFound(delivery.turnId)
  goOn(ctx, row)
  return { turn_id: delivery.turnId, call: delivery.call, outcome: row.outcome }
}

const argsOf = (ctx: Context, { turnId, call, body }: Delivery) => ({
  turn_id: turnId,
  ...numbersOfCall(call),
  output: outputOf(body),
  hash: hashRequest(body),
  event_id: newId("event", ctx.clock.now()),
})

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
