import type { Context } from "../actor/context.ts"
import { fingerprintsOf } from "../actor/once.ts"
import type { Records } from "../platform/procedures.ts"
import { numbersOfCall } from "./call-id.ts"

/** A decision or a result of a call. */
interface Sent {
  turnId: string
  call: string
  body: object
}

/**
 * A decision or result, as a procedure compares it with the one that counts for the call. Its fingerprint is kept
 * longer than its content, so it is made under a key and differs from call to call.
 */
export async function sentAnswer(
  ctx: Context,
  kind: "decision" | "result",
  { turnId, call, body }: Sent,
): Promise<Records["sent_answer"]> {
  const fingerprints = await fingerprintsOf(ctx, { kind, turnId, call, body })
  return { turn_id: turnId, ...numbersOfCall(call), fingerprints }
}
