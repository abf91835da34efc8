import { TurnpikeError } from "../../src/base/errors.ts"
import { claimTurns, type FoundTurns, type RunnerLook } from "../../src/runs/claim-turns.ts"
import type { Outcome } from "../../src/runs/settle-turns.ts"
import { settleTurn } from "../../src/runs/settle-turns.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import { contextOf } from "./context.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

type Wishes = Partial<Omit<RunnerLook, "runner" | "held">> & { attempt?: number; takesOver?: boolean }

export interface Slots {
  runners: number
  live: number
  test: number
  endUser: number
}

const MANY_SLOTS: Slots = { runners: 100, live: 100, test: 100, endUser: 100 }

/**
 * A runner that a test controls: it looks for turns when a test says so, and runs none of the turns
 * that it claims.
 */
export function createRunner(world: World, { id, slots = {} }: { id: string; slots?: Partial<Slots> }) {
  const ctx = { ...contextOf(world), slots: { ...MANY_SLOTS, ...slots } }
  const held = new Map<string, TurnRow>()
  let attempts = 0
  let after: FoundTurns["after"] = { live: 0, test: 0 }
  return {
    ctx,
    held,
    /** Looks once. `places` is the number of turns that it can take besides those that it holds. */
    async look({ attempt = attempts++, takesOver = false, ...wishes }: Wishes = {}): Promise<FoundTurns> {
      const asked = { places: 16, isLast: false, stays: false, retires: false, after, ...wishes }
      const found = await claimTurns(ctx, { ...asked, runner: { id, attempt, takesOver }, held: [...held.keys()] })
      after = found.after
      for (const { turn } of found.claims) held.set(turn.turn_id, turn)
      return found
    },
    /** Ends a turn that the runner holds. False if another worker held it. */
    async end(turnId: string, outcome: Outcome = { state: "done", result: "r" }): Promise<boolean> {
      const turn = held.get(turnId)
      if (!turn) throw new TurnpikeError("NOT_FOUND", "The runner does not have this turn.")
      const ended = await settleTurn(ctx, turn, outcome)
      held.delete(turnId)
      return ended
    },
  }
}

export type TestRunner = ReturnType<typeof createRunner>

/** The ids of the turns that a look claimed, in its order. */
export const idsOf = ({ claims }: FoundTurns): string[] => claims.map(({ turn }) => turn.turn_id)

/** Sends a turn of each of these end users in order and drops the queue's messages. Returns the ids. */
export async function makeReady(world: World, client: TestClient, endUsers: readonly string[]): Promise<string[]> {
  const space = await client.space()
  const ids: string[] = []
  for (const [n, end_user_ref] of endUsers.entries()) {
    const sent = await client.sendTurn({ space, end_user_ref, conversation: `c${n}`, text: "hello" })
    if (sent.status !== 202) throw new Error(await sent.text())
    ids.push((await turnOf(sent)).turn_id)
    await world.advance(1)
  }
  await world.settled()
  await world.qstash.reset()
  return ids
}
