import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import type { NoAccount, PickedAccount, RealEngine } from "../providers/account.ts"
import { PROVIDER_POLICY } from "../providers/policies.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import type { StillMine } from "./commit-step.ts"

/** Another account for a call, and whether the turn still belongs to this worker. Null: no enabled account fits. */
export interface NextAccount {
  mine_still: StillMine
  account: PickedAccount | NoAccount | null
}

interface Wanted {
  engine: RealEngine
  /** The spellings of the server that the engine's pins name (src/runs/engine-servers.ts); null: any server. */
  servers: readonly string[] | null
  model: string
  /** The account of the turn's conversation. */
  bound: string | null
  tried: string[]
  /** Accounts that are preferred, in this order, if they can be called. */
  preferred: string[]
}

/** Picks an account for a model call, except the ones in `tried`, and renews the lease. */
export async function nextAccount(
  ctx: Context,
  { turn_id, epoch }: Pick<TurnRow, "turn_id" | "epoch">,
  { engine, servers, model, bound, tried, preferred }: Wanted,
): Promise<NextAccount> {
  const now = ctx.clock.now()
  const { mine_still, account, cools, cooling_until } = await callOne(ctx.db, "next_account", {
    turn_id,
    epoch,
    engine,
    servers,
    model,
    bound,
    tried,
    preferred,
    random: ctx.random(),
    probe_until: new Date(now.getTime() + PROVIDER_POLICY.probeMs),
    lease: new Date(now.getTime() + TURN_POLICY.leaseMs),
    moment: now,
  })
  return {
    mine_still: mine_still as StillMine,
    account: cools ? { cooling_until: cooling_until?.toISOString() ?? null } : (account as PickedAccount | null),
  }
}
