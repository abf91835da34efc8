import { createKeyRing, parseKeyRing } from "../../src/base/key-ring.ts"
import { type AccountCredential, sealCredential } from "../../src/providers/credential.ts"
import { PROVIDER_URL } from "./scripted-provider.ts"
import type { World } from "./world.ts"

/** The credential of a test's account: the scripted provider sees it as its key. */
export const accountKey = (providerId: string) => `canary-${providerId}-0123456789`
export const accountOfKey = (key: string) => /^canary-(.*)-0123456789$/.exec(key)?.[1] ?? key

interface TestAccount {
  kind?: "api_key" | "oauth_code" | "oauth_device"
  engine?: string
  baseUrl?: string | null
  headers?: Record<string, string>
}

/** Adds an account of the main pool, which is usable at once. */
export async function addAccount(world: Pick<World, "sql" | "env" | "clock">, id: string, account: TestAccount = {}) {
  const { kind = "api_key", engine = "openai-compatible", baseUrl = PROVIDER_URL, headers = {} } = account
  const keyRing = createKeyRing(parseKeyRing(world.env.SECRETS_KEYS as string))
  const credential: AccountCredential =
    kind === "api_key"
      ? { kind, api_key: accountKey(id) }
      : { kind: "oauth", access_token: accountKey(id), refresh_token: `refresh-${accountKey(id)}`, headers }
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

/** Begins anew an hour later: these are all the accounts, and nobody has heard anything of them. */
export async function startAccounts(world: Pick<World, "sql" | "env" | "clock" | "advance">, ids: readonly string[]) {
  await removeAccounts(world)
  await world.advance(3600_000)
  for (const id of ids) await addAccount(world, id)
}

/** Removes all accounts with what they have heard. */
export const removeAccounts = async ({ sql }: Pick<World, "sql">) =>
  void (await sql("delete from provider_accounts where true"))

export interface AccountFacts {
  health: string
  cool_until: string | null
  cool_reason: string | null
  probe_until: string | null
  windows: Record<string, { used_pct: number; reset_at: string | null }>
}

export async function accountFacts({ sql }: Pick<World, "sql">, id: string): Promise<AccountFacts> {
  const [facts] = await sql<AccountFacts>(
    `select a.health, s.cool_until, s.cool_reason, s.probe_until, s.windows
     from provider_accounts a join provider_states s using (provider_id) where a.provider_id = $1`,
    [id],
  )
  if (!facts) throw new Error(`there is no account ${id}`)
  return facts
}

/** Headers of a window of Anthropic's plans, `usedPct` of it used, that begins anew at `resetMs`. */
export const unified = (length: string, usedPct: number, resetMs: number) => ({
  [`anthropic-ratelimit-unified-${length}-utilization`]: String(usedPct / 100),
  [`anthropic-ratelimit-unified-${length}-reset`]: String(resetMs / 1000),
})
