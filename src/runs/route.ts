import type { Context } from "../actor/context.ts"
import type { NoAccount, PickedAccount, RealEngine } from "../providers/account.ts"
import { coolsMeanwhile, forgetCooling, unnotedAccounts } from "../providers/cooling.ts"
import { lastServed } from "../providers/last-served.ts"
import type { Claim } from "./claim-turns.ts"
import type { EngineServers } from "./engine-servers.ts"
import { nextAccount } from "./next-account.ts"

/** An account that may be called, as far as a statement that was sent at `readAt` (in milliseconds) could know. */
export interface KnownAccount extends PickedAccount {
  readAt: number
}

/** Where the calls of one engine go. */
interface EngineRoute {
  /** What the next call begins at; null: it asks. */
  account: KnownAccount | NoAccount | null
  /** The account that the conversation stays with; null: there is none, or it may not be called any more. */
  bound: string | null
}

/** What a call asks for: an engine, and what its provider calls the model. */
export interface RoutedModel {
  engine: RealEngine
  model: string
}

/** none: no account that serves the engine's pins is enabled. cooling: there are some, but none for this call. */
export type Next =
  | { kind: "account"; account: KnownAccount }
  | { kind: "cooling"; until: string | null }
  | { kind: "none" }
  | { kind: "cancel" }
  | { kind: "stale" }

/** The accounts that a run calls, by engine. An engine that is not here has no account: its calls go by the environment. */
export class Route {
  private readonly ctx: Context
  private readonly turn: Claim["turn"]
  private readonly servers: EngineServers
  private readonly byEngine = new Map<string, EngineRoute>()

  constructor(ctx: Context, { turn, accounts, accounts_read_at: readAt, servers }: Claim) {
    this.ctx = ctx
    this.turn = turn
    this.servers = servers
    for (const [engine, picked] of Object.entries(accounts)) {
      // Null: one that is tried again after it has cooled, which is for a call to ask for.
      const route =
        picked && isAccount(picked)
          ? { account: { ...picked, readAt }, bound: picked.bound ? picked.provider_id : null }
          : { account: picked, bound: null }
      this.byEngine.set(engine, route)
    }
  }

  /**
   * The account for a call that has tried others. Costs a statement only when the one that is known cannot be called, or lacks the model.
   * `proven`: one was refused for what it is, so those that have served last are asked first.
   */
  async next(
    { engine, model }: RoutedModel,
    tried: readonly string[],
    { proven }: { proven: boolean } = { proven: false },
  ): Promise<Next> {
    const route = this.byEngine.get(engine)
    if (!route) return { kind: "none" }
    const known = route.account
    if (known && !isAccount(known)) {
      route.account = null
      return { kind: "cooling", until: known.cooling_until }
    }
    if (known && !tried.includes(known.provider_id) && this.mayCall(known, model)) {
      // While it is tried, nobody else begins at it.
      if (known.probe) route.account = null
      return { kind: "account", account: known }
    }
    return this.ask({ engine, model }, route, { tried, proven })
  }

  private mayCall(known: KnownAccount, model: string): boolean {
    const now = this.ctx.clock.now().getTime()
    return !lacksModel(known, model, now) && !coolsMeanwhile(this.ctx, known.provider_id, known.readAt)
  }

  private async ask(
    { engine, model }: RoutedModel,
    route: EngineRoute,
    { tried, proven }: { tried: readonly string[]; proven: boolean },
  ): Promise<Next> {
    const leftOut = [...tried, ...unnotedAccounts(this.ctx)]
    for (;;) {
      const readAt = this.ctx.clock.now().getTime()
      const { mine_still: mine, account } = await nextAccount(this.ctx, this.turn, {
        engine,
        servers: this.servers[engine] ?? null,
        model,
        bound: route.bound,
        tried: leftOut,
        preferred: proven ? lastServed(this.ctx).newest(engine) : [],
      })
      if (mine !== "yes") return { kind: mine }
      if (account === null) {
        this.byEngine.delete(engine)
        return { kind: "none" }
      }
      if (!isAccount(account)) return { kind: "cooling", until: account.cooling_until }
      if (!coolsMeanwhile(this.ctx, account.provider_id, readAt)) {
        const known = { ...account, readAt }
        // What is bound is not left for an account that only stands in for it.
        if (route.bound === null && !account.probe) route.account = known
        return { kind: "account", account: known }
      }
      leftOut.push(account.provider_id)
    }
  }

  /**
   * Notes who has served a call. `main`: of the space's own agent. Returns whether the conversation stays with that account from now on:
   * not with one that has stood in for its own, which had only a passing error.
   */
  served(account: KnownAccount, { main }: { main: boolean }): boolean {
    const { provider_id, engine } = account
    if (account.probe) forgetCooling(this.ctx, provider_id)
    lastServed(this.ctx).note(engine, provider_id)
    const route = this.byEngine.get(engine)
    if (!route || (route.bound !== null && route.bound !== provider_id)) return false
    route.account = { ...account, probe: false }
    if (main) route.bound = provider_id
    return main
  }

  /** This account lacks the model of a call: such calls ask for another. `main`: of the space's own agent, whose conversation leaves it. */
  lacks(account: KnownAccount, { main }: { main: boolean }): void {
    const route = this.byEngine.get(account.engine)
    if (!route) return
    if (route.account && isAccount(route.account) && route.account.provider_id === account.provider_id)
      route.account = null
    if (main && route.bound === account.provider_id) route.bound = null
  }

  /** The accounts that calls may begin at without asking. */
  known(): string[] {
    const ids = [...this.byEngine.values()].flatMap(({ account, bound }) => [
      ...(account && isAccount(account) ? [account.provider_id] : []),
      ...(bound === null ? [] : [bound]),
    ])
    return [...new Set(ids)]
  }

  /** These accounts are not called any more without asking. */
  drop(ids: readonly string[] | null): void {
    if (ids === null) return
    for (const route of this.byEngine.values()) {
      if (route.account && isAccount(route.account) && ids.includes(route.account.provider_id)) route.account = null
      if (route.bound !== null && ids.includes(route.bound)) route.bound = null
    }
  }
}

/** Whether an account has answered of late that it does not have a model. `now` in milliseconds. */
export const lacksModel = ({ lacks }: KnownAccount, model: string, now: number) => Date.parse(lacks[model] ?? "") > now

const isAccount = <A extends PickedAccount>(picked: A | NoAccount): picked is A => "provider_id" in picked
