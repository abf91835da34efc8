import type { Context } from "../actor/context.ts"
import { onceFor } from "../base/once-for.ts"
import type { PickedAccount } from "./account.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/** A usable account as it was listed: what a call needs of it, its weight (src/providers/pick-account.sql), and the versions of its rows. */
export interface ListedAccount extends PickedAccount {
  weight: number
  account_row: string
  credential_row: string
}

interface Listed {
  accounts: readonly ListedAccount[]
  /** When the statement was sent that has read them, in milliseconds. */
  readAt: number
}

/**
 * The usable accounts of each engine, as this isolate has read them of late. To draw one is most of what a claim would do for its account. So
 * where many conversations begin, the worker draws it, and the claim only looks whether that account is still what the worker knows, and
 * may be called. An isolate with little to do has no roster, since one costs as much as several draws. Times in milliseconds.
 */
export class Roster {
  private readonly byEngine = new Map<string, Listed>()
  /** Claims that have needed an account that was no conversation's yet. */
  private draws = { count: 0, since: 0 }
  private askedAt = Number.NEGATIVE_INFINITY

  /** The engines that a claim is not to list, since they were listed a moment ago; null: it is to list none. */
  ask(now: number): string[] | null {
    const { rosterDraws, rosterMs, rosterPauseMs } = PROVIDER_POLICY
    if (this.draws.count < rosterDraws || now - this.draws.since >= 2 * rosterMs) return null
    if (now - this.askedAt < rosterPauseMs) return null
    const fresh = [...this.byEngine].filter(([, { readAt }]) => now - readAt < rosterMs / 2)
    return fresh.map(([engine]) => engine)
  }

  /** A look that was sent at `now`, and was to list accounts, has claimed turns. */
  noteAsked(now: number): void {
    this.askedAt = now
  }

  /** Takes over what a claim that was sent at `readAt` has listed. */
  list(engine: string, accounts: readonly ListedAccount[], readAt: number): void {
    if ((this.byEngine.get(engine)?.readAt ?? Number.NEGATIVE_INFINITY) > readAt) return
    this.byEngine.set(engine, { accounts, readAt })
  }

  /**
   * An account of each engine that is known well enough, by chance and weight, as the database would draw it. `isOut`: this isolate has
   * heard since `readAt` that it is not to be called.
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

  /** A claim has needed an account that is no conversation's yet. */
  note(now: number): void {
    if (now - this.draws.since >= PROVIDER_POLICY.rosterMs) this.draws = { count: 0, since: now }
    this.draws.count++
  }
}

const rosters = onceFor((_cooling: Context["cooling"]) => new Roster())

/** The roster of this isolate: it lives as long as what the isolate knows of cooling. */
export const rosterOf = ({ cooling }: Pick<Context, "cooling">): Roster => rosters(cooling)

/** What the database draws an account with (src/providers/pick-account.sql): one number for an exact draw, the others for the tries before it. */
export const drawNumbers = (random: () => number): number[] =>
  Array.from({ length: 1 + PROVIDER_POLICY.drawTries }, random)
