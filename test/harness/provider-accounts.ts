import { parseBaseEnv } from "../../src/base/env.ts"
import { createKeyRing } from "../../src/base/key-ring.ts"
import { type AccountCredential, sealCredential } from "../../src/providers/credential.ts"
import { PROVIDER_URL } from "./scripted-provider.ts"
import type { World } from "./world.ts"

/** The credential of a test's account. The scripted provider receives it as the API key. */
export const providerKey = (providerId: string) => `canary-${providerId}-0123456789`
export const accountOfProviderKey = (key: string) => /^canary-(.*)-0123456789$/.exec(key)?.[1] ?? key

interface TestAccount {
  kind?: "api_key" | "oauth_code" | "oauth_device"
  engine?: string
  baseUrl?: string | null
  headers?: Record<string, string>
}

/** Adds an account to the main pool that is usable at once. */
export async function addAccount(world: Pick<World, "sql" | "env" | "clock">, id: string, account: TestAccount = {}) {
  const { kind = "api_key", engine = "openai-compatible", baseUrl = PROVIDER_URL, headers = {} } = account
  const keyRing = createKeyRing(parseBaseEnv(world.env).SECRETS_KEYS)
  const credential: AccountCredential =
    kind === "api_key"
      ? { kind, api_key: providerKey(id) }
      : { kind: "oauth", access_token: providerKey(id), refresh_token: `refresh-${providerKey(id)}`, headers }
  const now = world.clock.now()
  await world.sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, created_at, updated_at)
     values ($1, 'main', $1, $2, $3, $4, $5, $5)`,
    [id, kind, engine, baseUrl, now],
  )
  await world.sql("insert into provider_states (provider_id) values ($1)", [id])
  await world.sql(
    "insert into provider_credentials (provider_id, sealed, expires_at, updated_at) values ($1, $2, $3, $4)",
    [
      id,
      await sealCredential({ keyRing }, id, credential),
      kind === "api_key" ? null : new Date(now.getTime() + 30 * 86_400_000),
      now,
    ],
  )
}

/** Moves the clock an hour ahead, then replaces all accounts by these, without any known state. */
export async function resetAccounts(world: Pick<World, "sql" | "env" | "clock" | "advance">, ids: readonly string[]) {
  await removeAccounts(world)
  await world.advance(3600_000)
  for (const id of ids) await addAccount(world, id)
}

/** Removes all accounts and their known state. */
export const removeAccounts = async ({ sql }: Pick<World, "sql">) =>
  void (await sql("delete from provider_accounts where true"))

export interface AccountState {
  health: string
  cool_until: string | null
  cool_reason: string | null
  probe_until: string | null
  windows: Record<string, { used_pct: number; reset_at: string | null }>
}

export async function accountState({ sql }: Pick<World, "sql">, id: string): Promise<AccountState> {
  const [facts] = await sql<AccountState>(
    `select a.health, s.cool_until, s.cool_reason, s.probe_until, s.windows
     from provider_accounts a join provider_states s using (provider_id) where a.provider_id = $1`,
    [id],
  )
  if (!facts) throw new Error(`there is no account ${id}`)
  return facts
}

/** Headers for a window of Anthropic's plans with `usedPct` used, which resets at `resetMs`. */
export const unified = (length: string, usedPct: number, resetMs: number) => ({
  [`anthropic-ratelimit-unified-${length}-utilization`]: String(usedPct / 100),
  [`anthropic-ratelimit-unified-${length}-reset`]: String(resetMs / 1000),
})

interface Account {
  provider_id: string
  pool: "main" | "alt-pool" | "media"
  name: string
  kind: "api_key" | "oauth_code" | "oauth_device"
  engine: "anthropic" | "openai" | "openai-compatible"
  base_url: string | null
  health: "healthy" | "needs_login" | "contained"
  disabled_at: Date | null
  /** Null for an account without a credential. */
  credential: AccountCredential | null
  expires_at: Date | null
  refreshing_until: Date | null
  cool_until: Date | null
  probe_until: Date | null
  windows: Record<string, { used_pct: number; reset_at: string | null; taken_at: string }>
}

let accounts = 0

/**
 * Stores a provider account as a login would have left it. Its secret contains the word "canary".
 * Returns its id.
 */
export async function storeAccount(world: World, given: Partial<Account> = {}): Promise<string> {
  const pool = given.pool ?? "main"
  const id = given.provider_id ?? `${pool === "main" ? "sub" : "alt"}-${(++accounts).toString().padStart(4, "0")}`
  const now = world.clock.now()
  await world.sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, external_id, health, disabled_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $1, $7, $8, $9, $9)`,
    [
      id,
      pool,
      given.name ?? `Account ${id}`,
      given.kind ?? "oauth_code",
      given.engine ?? "anthropic",
      given.base_url === undefined ? "https://models.provider.example/v1" : given.base_url,
      given.health ?? "healthy",
      given.disabled_at ?? null,
      now,
    ],
  )
  await world.sql(
    "insert into provider_states (provider_id, cool_until, cool_reason, probe_until, windows) values ($1, $2, $3, $4, $5)",
    [
      id,
      given.cool_until ?? null,
      given.cool_until ? "limit_reached" : null,
      given.probe_until ?? null,
      JSON.stringify(given.windows ?? {}),
    ],
  )
  if (given.credential === null) return id
  const credential = given.credential ?? { kind: "api_key", api_key: `canary-of-${id}` }
  const keyRing = createKeyRing(parseBaseEnv(world.env).SECRETS_KEYS)
  await world.sql(
    "insert into provider_credentials (provider_id, sealed, expires_at, refreshing_until, updated_at) values ($1, $2, $3, $4, $5)",
    [
      id,
      await sealCredential({ keyRing }, id, credential),
      given.expires_at ?? null,
      given.refreshing_until ?? null,
      now,
    ],
  )
  return id
}

/** A window as a provider reported it just now. */
export const windowNow = (world: World, used_pct: number, lasts = 3_600_000) => ({
  used_pct,
  reset_at: new Date(world.clock.ms() + lasts).toISOString(),
  taken_at: world.clock.now().toISOString(),
})
