import type { Context } from "../actor/context.ts"
import type { NoAccount, PickedAccount, RealEngine } from "../providers/account.ts"
import { coolsMeanwhile, forgetCooling, unnotedAccounts } from "../providers/cooling.ts"
import { lastServed } from "../providers/last-served.ts"
import type { Claim } from "./claim-turns.ts"
import type { EngineServers } from "./engine-servers.ts"
import { nextAccount } from "./next-account.ts"

/** An account that could be called according to a statement that was sent at `readAt` (in milliseconds). */
export interface KnownAccount extends PickedAccount {
  readAt: number
}

/** The accounts for the calls of one engine. */
interface EngineRoute {
  /** The account at which the next call starts; null: the call must ask. */
  account: KnownAccount | NoAccount | null
  /** The account that the conversation stays with; null: no account, or it cannot be called any more. */
  bound: string | null
}

/** The engine of a call, and the provider's name for the model. */
export interface RoutedModel {
  engine: RealEngine
  model: string
}

/** none: no enabled account serves the engine's pins. cooling: such accounts exist, but none can take this call. */
export type Next =
  | { kind: "account"; account: KnownAccount }
  | { kind: "cooling"; until: string | null }
  | { kind: "none" }
  | { kind: "cancel" }
  | { kind: "stale" }

/** The accounts that a run calls, by engine. Calls of an engine without an entry use the environment's keys. */
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
      // Null: an account must be probed after cooling, and only a call may ask for it.
      const route =
        picked && isAccount(picked)
          ? { account: { ...picked, readAt }, bound: picked.bound ? picked.provider_id : null }
          : { account: picked, bound: null }
      this.byEngine.set(engine, route)
    }
  }

  /**
   * Returns the account for a call that has tried others. Sends a statement only if the known account cannot be
   * called or lacks the model. `proven`: a provider refused an account itself, so accounts that served last come first.
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
      // While it is probed, no other call of the run starts at it.
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
        // A substitute does not replace the bound account.
        if (route.bound === null && !account.probe) route.account = known
        return { kind: "account", account: known }
      }
      leftOut.push(account.provider_id)
    }
  }

  /**
   * Notes that an account has served a call. `main`: a call of the space's own agent. Returns true if the
   * conversation stays with this account from now on. It does not stay with a substitute for its own account.
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

  /** Notes that an account lacks a call's model. `main`: the conversation of the space's own agent leaves the account. */
  lacks(account: KnownAccount, { main }: { main: boolean }): void {
    const route = this.byEngine.get(account.engine)
    if (!route) return
    if (route.account && isAccount(route.account) && route.account.provider_id === account.provider_id)
      route.account = null
    if (main && route.bound === account.provider_id) route.bound = null
  }

  /** The accounts at which calls may start without asking. */
  known(): string[] {
    const ids = [...this.byEngine.values()].flatMap(({ account, bound }) => [
      ...(account && isAccount(account) ? [account.provider_id] : []),
      ...(bound === null ? [] : [bound]),
    ])
    return [...new Set(ids)]
  }

  /** Calls must ask before they use these accounts again. */
  drop(ids: readonly string[] | null): void {
    if (ids === null) return
    for (const route of this.byEngine.values()) {
      if (route.account && isAccount(route.account) && ids.includes(route.account.provider_id)) route.account = null
      if (route.bound !== null && ids.includes(route.bound)) route.bound = null
    }
  }
}

/** True if an account has recently answered that it does not have a model. `now` in milliseconds. */
export const lacksModel = ({ lacks }: KnownAccount, model: string, now: number) => Date.parse(lacks[model] ?? "") > now

const isAccount = <A extends PickedAccount>(picked: A | NoAccount): picked is A => "provider_id" in picked
