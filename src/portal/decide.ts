import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { goOn } from "../waits/go-on.ts"
import { sentAnswer } from "../waits/sent-answer.ts"
import { asEndUser, checkSession, requireScope } from "./read-portal.ts"
import { turnUnknown } from "./read-turns.ts"
import type { Portal } from "./session.ts"

/**
 * The end user allows or denies a call of their turn. The first decision wins; the same one again has no effect, also
 * after the turn's end. The turn's log names the end user. NOT_FOUND for a call of another end user, TURN_FINISHED,
 * CALL_DECIDED or CALL_NOT_WAITING; SCOPE_DENIED in a preview.
 */
export async function decideInPortal(
  ctx: Context,
  portal: Portal,
  { turnId, call, decision }: { turnId: string; call: string; decision: "allow" | "deny" },
): Promise<void> {
  requireScope(portal, "approvals")
  if (portal.preview) throw new TurnpikeError("SCOPE_DENIED", "A preview decides about no call.")
  await checkSession(ctx, portal)
  const now = ctx.clock.now()
  const sent = await sentAnswer(ctx, "decision", { turnId, call, body: { decision } })
  const { row } = await asEndUser(
    callAs(ctx, portal.credential, "decide_as_end_user", {
      end_user_ref: portal.ref,
      since: portal.since,
      sent,
      decision,
      event_ids: [newId("event", now), newId("event", now)],
    }),
  )
  switch (row.outcome) {
    case "ended":
      throw new TurnpikeError("TURN_FINISHED", "The turn has already ended.")
    case "other":
      throw new TurnpikeError("CALL_DECIDED", "Another decision about this call was made before.")
    case "not_asked":
      throw new TurnpikeError("CALL_NOT_WAITING", "This call does not wait for a decision.")
    case "decided":
    case "same":
      return goOn(ctx, row)
  }
  throw turnUnknown()
}
