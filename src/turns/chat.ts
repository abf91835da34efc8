import type * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { Made } from "../actor/once.ts"
import { acceptTurn } from "./accept-turn.ts"
import { estimateTurn, type TurnEstimate } from "./estimate-turn.ts"
import { getTurn, turnNotFound, waitForTurn } from "./get-turn.ts"
import { createTurnSchema } from "./schemas.ts"
import type { TurnRow } from "./turn-row.ts"

/**
 * The end_user_ref of a web chat. No request of /v1 can name it, since there it has at least one character: so a chat never shares a
 * conversation with a customer. Each member of a space has conversations of their own (src/turns/admission.sql).
 */
export const OWNER_REF = ""

/** No Idempotency-Key of /v1 has a tab, so a chat's keys never meet those of the owner's servers. */
const KEY_PREFIX = "chat\t"

export const createChatTurnSchema = createTurnSchema
  .pick({ space: true, text: true, files: true, model: true, max_cost_usd: true })
  .extend({
    conversation: createTurnSchema.shape.conversation.meta({
      description:
        "A conversation's id (`conv_…`), or a name of your own within this space. Default: one " +
        "conversation for the space.",
    }),
  })
  .meta({ id: "CreateChatTurn" })

/**
 * Accepts a web-chat turn: a turn without a key of somebody who is signed in, in a space of theirs or one that is shared with them. Its
 * owner is billed. Errors as of `acceptTurn`.
 */
export function acceptChatTurn(
  ctx: Context,
  credential: SessionCredential,
  { idempotencyKey, body }: { idempotencyKey: string | null; body: z.output<typeof createChatTurnSchema> },
): Promise<Made<TurnRow>> {
  return acceptTurn(ctx, credential, {
    idempotencyKey: KEY_PREFIX + (idempotencyKey ?? ctx.requestId),
    body: { ...body, end_user_ref: OWNER_REF },
  })
}

/** What `acceptChatTurn` would answer now, in a space of the caller's own: a shared one is NOT_FOUND, since its balance is its owner's. */
export const estimateChatTurn = (
  ctx: Context,
  credential: SessionCredential,
  body: z.output<typeof createChatTurnSchema>,
): Promise<TurnEstimate> => estimateTurn(ctx, credential, { ...body, end_user_ref: OWNER_REF })

/** A web-chat turn, once it has ended or after `waitSeconds`; NOT_FOUND for any other turn. */
export async function getChatTurn(
  ctx: Context,
  credential: SessionCredential,
  { turnId, waitSeconds, signal }: { turnId: string; waitSeconds: number; signal: AbortSignal },
): Promise<TurnRow> {
  const turn = await getTurn(ctx, credential, turnId)
  if (turn.key_id !== null) throw turnNotFound(turnId)
  return waitSeconds > 0 ? waitForTurn(ctx, credential, { turnId, waitSeconds, signal }) : turn
}
