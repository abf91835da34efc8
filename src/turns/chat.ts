import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import type { Made } from "../actor/once.ts"
import { acceptTurn, type NewTurn } from "./accept-turn.ts"
import { callerFields } from "./caller-tools.ts"
import { ESTIMATE_TURN_ERRORS, estimateTurn, type TurnEstimate } from "./estimate-turn.ts"
import { getTurn, turnNotFound, WAIT_FOR_TURN_ERRORS, waitForTurn } from "./get-turn.ts"
import { checkSaid, createTurnSchema } from "./schemas.ts"
import { SEND_TURN_ERRORS, type SentTurn, sendTurnFor } from "./send-turn.ts"
import type { TurnRow } from "./turn-row.ts"

/**
 * The end_user_ref of a web chat that names no end user. No request of /v1 can use it, because there it needs at least
 * one character. Each member has separate conversations (src/turns/admission.sql).
 */
export const OWNER_REF = ""

/** No Idempotency-Key of /v1 has a tab, so the keys of a chat never collide with keys of the owner's servers. */
const KEY_PREFIX = "chat\t"

const { shape } = createTurnSchema

export const createChatTurnSchema = z
  .strictObject({
    space: shape.space,
    text: shape.text.meta({
      description: "The message. Required without `results`.",
      example: "Where is my order?",
    }),
    ...callerFields,
    files: shape.files,
    model: shape.model,
    max_cost_usd: shape.max_cost_usd,
    max_output_tokens: shape.max_output_tokens,
    temperature: shape.temperature,
    reasoning: shape.reasoning,
    response_format: shape.response_format,
    end_user_ref: shape.end_user_ref.optional().meta({
      description:
        "The end user as whom the turn runs, to try what that customer sees: their conversations, tasks and profile. " +
        "Tools are called for them. Only in your own spaces. Caps and usage of the end user do not count the turn. Default: no end user.",
      example: "customer-42",
    }),
    conversation: shape.conversation.meta({
      description:
        "A conversation's id (`conv_…`), or a name of your choice within this space. Default: one " +
        "conversation for the space.",
    }),
  })
  .superRefine(checkSaid)
  .meta({ id: "CreateChatTurn" })

export const SEND_CHAT_TURN_ERRORS = SEND_TURN_ERRORS

interface NewChatTurn {
  idempotencyKey: string | null
  body: z.output<typeof createChatTurnSchema>
}

/**
 * Accepts a web-chat turn: a turn without a key, from a signed-in user, in their own space or in one that is shared
 * with them. The owner of the space is billed. Throws the errors of `acceptTurn`.
 */
export function acceptChatTurn(
  ctx: Context,
  credential: SessionCredential,
  asked: NewChatTurn,
): Promise<Made<TurnRow>> {
  return acceptTurn(ctx, credential, turnOf(ctx, asked))
}

/** The same for a request that reads the events of the turn, and runs it in place if it can start now. */
export function sendChatTurn(ctx: Context, credential: SessionCredential, asked: NewChatTurn): Promise<SentTurn> {
  return sendTurnFor(ctx, credential, turnOf(ctx, asked), "events")
}

const turnOf = ({ requestId }: Context, { idempotencyKey, body }: NewChatTurn): NewTurn => ({
  idempotencyKey: KEY_PREFIX + (idempotencyKey ?? requestId),
  body: { ...body, end_user_ref: body.end_user_ref ?? OWNER_REF },
})

export const ESTIMATE_CHAT_TURN_ERRORS = ESTIMATE_TURN_ERRORS

/**
 * Estimates a web-chat turn in the caller's own space. A shared space is NOT_FOUND: its balance belongs to its owner.
 */
export const estimateChatTurn = (
  ctx: Context,
  credential: SessionCredential,
  body: z.output<typeof createChatTurnSchema>,
): Promise<TurnEstimate> => estimateTurn(ctx, credential, { ...body, end_user_ref: body.end_user_ref ?? OWNER_REF })

export const GET_CHAT_TURN_ERRORS = WAIT_FOR_TURN_ERRORS

/**
 * Returns a web-chat turn when it has ended or begins to wait, or after `waitSeconds`. NOT_FOUND for any other turn.
 */
export async function getChatTurn(
  ctx: Context,
  credential: SessionCredential,
  { turnId, waitSeconds, signal }: { turnId: string; waitSeconds: number; signal: AbortSignal },
): Promise<TurnRow> {
  const turn = await getTurn(ctx, credential, turnId)
  if (turn.key_id !== null) throw turnNotFound(turnId)
  return waitSeconds > 0 ? waitForTurn(ctx, credential, { turnId, waitSeconds, signal, knowsWait: true }) : turn
}
