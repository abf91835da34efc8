import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { TurnpikeError } from "../../src/base/errors.ts"
import { databaseOver } from "../../src/platform/db.ts"
import type { SealedCredential } from "../../src/providers/refresh.ts"
import { LOGINS } from "./account-provider.ts"
import type { ProviderWorld } from "./provider-world.ts"

/** A worker's external call: a procedure by its name, or the token exchange. */
export type Boundary = { what: string; when: "before" | "after" }

interface Fault extends Boundary {
  /** "die": the worker does nothing more. "lose": the call fails and the worker continues. */
  how: "die" | "lose"
  /** The number of consecutive calls that fail. */
  times?: number
}

/**
 * A separate worker on the world's database and provider. It records its external calls and can die
 * at one.
 */
export function createRefresher(world: ProviderWorld, { fault, env = {} }: { fault?: Fault; env?: object } = {}) {
  const seen: string[] = []
  const background: Promise<unknown>[] = []
  let left = fault?.times ?? 1
  let dead = false
  const never = new Promise<never>(() => {})

  async function outside<T>(what: string, work: () => Promise<T>, lost: () => Error): Promise<T> {
    if (dead) return never
    seen.push(what)
    const hit = fault !== undefined && fault.what === what && left > 0
    if (hit) left--
    const fails = () => {
      if (fault?.how === "lose") throw lost()
      dead = true
      return never
    }
    if (hit && fault.when === "before") return fails()
    const answer = await work()
    if (hit) return fails()
    return dead ? never : answer
  }

  const bindings = { ...world.env, PROVIDER_LOGINS: JSON.stringify(LOGINS), ...env }
  const base = createContext(parseBaseEnv(bindings), (work) => background.push(work), {
    clock: world.clock,
    fetch: (input, init) => {
      const request = new Request(input, init)
      return outside(
        "exchange",
        () => world.provider.serve(request),
        () => new TypeError("the connection broke"),
      )
    },
  })
  const unavailable = () => new TurnpikeError("UNAVAILABLE", "The database does not answer.", { retryAfter: 1 })
  const db = databaseOver((statement) => {
    const what = /\.(\w+)\(/.exec(statement.sql)?.[1] ?? "builder"
    return outside(what, () => base.db.run(statement), unavailable)
  })
  return {
    ctx: { ...base, db },
    seen,
    isDead: () => dead,
    settled: () => Promise.all(background),
  }
}

/** An account's credential as a claim of a turn returns it. */
export async function credentialOf(world: ProviderWorld, providerId: string): Promise<SealedCredential> {
  const [row] = await world.sql<SealedCredential>(
    "select provider_id, sealed, expires_at, version as credential_version from provider_credentials where provider_id = $1",
    [providerId],
  )
  if (!row) throw new Error(`there is no ${providerId}`)
  return row
}

/** The stored state of an account: its health and its credential. */
export async function accountNow(world: ProviderWorld, providerId: string) {
  const [row] = await world.sql<{ health: string; version: number; refreshing: boolean }>(
    `select a.health, c.version, c.refreshing_until is not null as refreshing from provider_accounts a
      join provider_credentials c on c.provider_id = a.provider_id where a.provider_id = $1`,
    [providerId],
  )
  if (!row) throw new Error(`there is no ${providerId}`)
  return row
}
