import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { isTerminal, type TurnRow, turnJson } from "./turn-row.ts"

/** A turn in the key's scope, or NOT_FOUND. One statement. */
export async function getTurn(ctx: Context, credential: Credential, turnId: string): Promise<TurnRow> {
  const { row } = await queryAs<{ turn: TurnRow | null }>(ctx, credential, {
    select: sql`select ${turnJson} as turn from turns t join spaces s on s.space_id = t.space_id, caller
      where t.turn_id = ${turnId} and ${inScope}`,
  })
  if (!row.turn) throw turnNotFound(turnId)
  return row.turn
}

export function turnNotFound(turnId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no turn "${turnId}" that you can see.`)
}

/** Pauses between looks while a client waits, in ms: quick at first, then once a second. */
const LOOKS = [50, 100, 200, 400, 700]

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
