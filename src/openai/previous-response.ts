import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { invalid } from "../base/invalid-field.ts"
import { getTurn } from "../turns/get-turn.ts"
import { listTurns } from "../turns/list-turns.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { turnIdOf } from "./ids.ts"

/**
 * The turn of `previous_response_id`, if the new turn can continue exactly from it: a conversation of turns has no
 * branches, so it must be the last one. A turn under `idempotencyKey` is the request itself. Throws NOT_FOUND or
 * VALIDATION_FAILED.
 */
export async function continueFrom(
  ctx: Context,
  credential: Credential,
  { responseId, idempotencyKey }: { responseId: string; idempotencyKey: string },
): Promise<TurnRow> {
  const previous = await getTurn(ctx, credential, turnIdOf(responseId)).catch((error: unknown) => {
    if (!(error instanceof TurnpikeError && error.code === "NOT_FOUND")) throw error
    throw new TurnpikeError("NOT_FOUND", `There is no response "${responseId}" that you can see.`, { param: PARAM })
  })
  const filters = { conversation: previous.conversation_id }
  const [newest] = (await listTurns(ctx, credential, { filters, limit: 1 })).data
  if (newest && newest.position > previous.position && newest.idempotency_key !== idempotencyKey) throw hasBranched()
  return previous
}

/** Throws if another turn came between. */
export function requireNext(previous: TurnRow, turn: TurnRow): void {
  if (turn.position !== previous.position + 1) throw hasBranched()
}

const PARAM = "previous_response_id"

const hasBranched = () =>
  invalid(
    "is not the last response of its conversation. Send `conversation` to continue the conversation at its end",
    PARAM,
  )
