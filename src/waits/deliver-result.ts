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

/**
 * Stores the result of a call that comes later. A result counts once: the same one again has no effect. `credential`:
 * null if the worker has checked the call's token. Throws NOT_FOUND, CALL_ANSWERED, CALL_NOT_WAITING, TURN_FINISHED or
 * PAYLOAD_TOO_LARGE.
 */
export async function deliverResult(
  ctx: Context,
  credential: Credential | null,
  { turnId, call, body }: { turnId: string; call: string; body: CallResult },
): Promise<TurnRow> {
  const now = ctx.clock.now()
  const output = outputOf(body)
  const args = {
    turn_id: turnId,
    ...numbersOfCall(call),
    output,
    hash: hashRequest(body),
    event_id: newId("event", now),
  }
  const row = credential
    ? (await callAs(ctx, credential, "deliver_result", args)).row
    : await callOne(ctx.db, "deliver_by_token", { ...args, moment: now })
  const turn = turnRowOf(row)
  switch (row.outcome) {
    case "ended":
      throw new TurnpikeError("TURN_FINISHED", `The turn is already ${turn?.state}, so the result has no effect.`, {
        details: { state: turn?.state },
      })
    case "other":
      throw new TurnpikeError("CALL_ANSWERED", "Another result of this call came before. This one has no effect.")
    case "not_awaited":
      throw new TurnpikeError("CALL_NOT_WAITING", "This call does not wait for a result.")
  }
  if (!turn || row.outcome === "unknown") throw turnNotFound(turnId)
  goOn(ctx, row)
  return turn
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
