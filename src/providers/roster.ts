import type { Context } from "../actor/context.ts"
import { onceFor } from "../base/once-for.ts"
import type { PickedAccount } from "./account.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/** A listed usable account with its weight (src/providers/pick-account.sql) and the versions of its rows. */
export interface ListedAccount extends PickedAccount {
  weight: number
  account_row: string
  credential_row: string
}

interface Listed {
  accounts: readonly ListedAccount[]
  /** When the statement that read them was sent, in milliseconds. */
  readAt: number
}

/**
 * The usable accounts of each engine, as this isolate last read them. With many new conversations
 * the worker draws an account here, and the claim only checks that its rows are unchanged. A roster
 * costs as much as several draws, so an idle isolate has none.
 */
export class Roster {
  private readonly byEngine = new Map<string, Listed>()
  /** Claims that needed a new account, because their conversation had none. */
  private draws = { count: 0, since: 0 }
  private askedAt = Number.NEGATIVE_INFINITY

  /**
   * The engines that the next claim need not list, because they were listed recently. Null: it should
   * list none. Times are in milliseconds.
   */
  ask(now: number): string[] | null {
    const { rosterDraws, rosterMs, rosterPauseMs } = PROVIDER_POLICY
    if (this.draws.count < rosterDraws || now - this.draws.since >= 2 * rosterMs) return null
    if (now - this.askedAt < rosterPauseMs) return null
    const fresh = [...this.byEngine].filter(([, { readAt }]) => now - readAt < rosterMs / 2)
    return fresh.map(([engine]) => engine)
  }

  /** Notes that a claim sent at `now` was asked to list accounts. */
  noteAsked(now: number): void {
    this.askedAt = now
  }

  /** Stores the accounts that a claim sent at `readAt` listed, unless newer ones are stored. */
  list(engine: string, accounts: readonly ListedAccount[], readAt: number): void {
    if ((this.byEngine.get(engine)?.readAt ?? Number.NEGATIVE_INFINITY) > readAt) return
    this.byEngine.set(engine, { accounts, readAt })
  }

  /**
   * Draws an account per engine at random by weight, as the database would. Engines without a recent
   * list are left out. `isOut`: the isolate learned after `readAt` that the account must not be called.
   */
  draw(
    random: () => number,
    isOut: (providerId: string, readAt: number) => boolean,
    now: number,
  ): Map<string, ListedAccount> {
    const found = new Map<string, ListedAccount>()
    for (const [engine, { accounts, readAt }] of this.byEngine) {
      if (now - readAt >= PROVIDER_POLICY.rosterMs || now < readAt) continue
      const usable = accounts.filter(({ provider_id }) => !isOut(provider_id, readAt))
      const reach = random() * usable.reduce((sum, { weight }) => sum + weight, 0)
      let reached = 0
      const account = usable.find(({ weight }) => {
        reached += weight
        return reached > reach
      })
      if (account) found.set(engine, account)
    }
    return found
  }

  /** Counts a claim that needed a new account. */
  note(now: number): void {
    if (now - this.draws.since >= PROVIDER_POLICY.rosterMs) this.draws = { count: 0, since: now }
    this.draws.count++
  }
}

const rosters = onceFor((_cooling: Context["cooling"]) => new Roster())

/** The roster of this isolate. It lives as long as the isolate's map of cooling accounts. */
export const rosterOf = ({ cooling }: Pick<Context, "cooling">): Roster => rosters(cooling)
