import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Credential } from "../actor/credential.ts"
import { TurnpikeError } from "../base/errors.ts"
import { isTerminal, type TurnRow } from "./turn-row.ts"

/** A turn in the key's scope, or NOT_FOUND. One statement. */
export async function getTurn(ctx: Context, credential: Credential, turnId: string): Promise<TurnRow> {
  type Row = { actor: unknown; turn: TurnRow | null }
  const { row } = await callAs<"get_turn", Row>(ctx, credential, "get_turn", { turn_id: turnId })
  if (!row.turn) throw turnNotFound(turnId)
  return row.turn
}

export function turnNotFound(turnId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no turn "${turnId}" that you can see.`)
}

/** Pauses between looks while a client waits, in ms: a plain turn takes some ten, most take seconds; then one a second. */
const LOOKS = [5, 10, 15, 20, 30, 50, 100, 200, 400, 700]

/** The turn once it has ended, or as it is after `waitSeconds`. */
export async function waitForTurn(
  ctx: Context,
  credential: Credential,
  { turnId, waitSeconds }: { turnId: string; waitSeconds: number },
): Promise<TurnRow> {
  const deadline = ctx.clock.now().getTime() + waitSeconds * 1000
  for (let look = 0; ; look++) {
    const turn = await getTurn(ctx, credential, turnId)
    const left = deadline - ctx.clock.now().getTime()
    if (isTerminal(turn.state) || left <= 0) return turn
    await ctx.clock.sleep(Math.min(left, LOOKS[look] ?? 1000))
  }
}
