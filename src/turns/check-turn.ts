import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { askedTurn } from "./admission.ts"
import type { CreateTurn } from "./schemas.ts"
import { turnRefusal } from "./turn-refusal.ts"

/**
 * Throws the refusal that a turn would get now, before its files are stored. `body.files` has only the files that
 * exist. Throws nothing if a turn with this Idempotency-Key exists.
 */
export async function checkTurn(
  ctx: Context,
  credential: Credential,
  { idempotencyKey, body }: { idempotencyKey: string; body: CreateTurn },
): Promise<void> {
  const now = ctx.clock.now()
  const { actor, row } = await callAs(ctx, credential, "check_turn", {
    asked: askedTurn(body),
    idempotency_key: idempotencyKey,
  })
  if (row.has_subscriber) wakeWebhooks(ctx, { user_id: actor.user_id, test: actor.test, has_subscriber: true })
  if (row.outcome !== "known" && row.outcome !== "admitted") throw turnRefusal(row, { now, actor, body })
}
