import { parseBaseEnv } from "../../src/base/env.ts"
import { createKeyRing } from "../../src/base/key-ring.ts"
import { type AccountCredential, sealCredential } from "../../src/providers/credential.ts"
import type { World } from "./world.ts"

interface Account {
  provider_id: string
  pool: "main" | "alt-pool" | "media"
  name: string
  kind: "api_key" | "oauth_code" | "oauth_device"
  engine: "anthropic" | "openai" | "openai-compatible"
  base_url: string | null
  health: "healthy" | "needs_login" | "contained"
  disabled_at: Date | null
  /** Null: it has none. */
  credential: AccountCredential | null
  expires_at: Date | null
  refreshing_until: Date | null
  cool_until: Date | null
  probe_until: Date | null
  windows: Record<string, { used_pct: number; reset_at: string | null; taken_at: string }>
}

let accounts = 0

/** Stores an account at a provider as a login would have left it. Its secret has the word "canary". Returns its id. */
export async function storeAccount(world: World, given: Partial<Account> = {}): Promise<string> {
  const pool = given.pool ?? "main"
  const id = given.provider_id ?? `${pool === "main" ? "sub" : "alt"}-${(++accounts).toString().padStart(4, "0")}`
  const now = world.clock.now()
  await world.sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, base_url, external_id, health, disabled_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $1, $7, $8, $9, $9)`,
    [
      ...[id, pool, given.name ?? `Account ${id}`, given.kind ?? "oauth_code", given.engine ?? "anthropic"],
      ...[
        given.base_url === undefined ? "https://models.provider.example/v1" : given.base_url,
        given.health ?? "healthy",
        given.disabled_at ?? null,
        now,
      ],
    ],
  )
  await world.sql(
    "insert into provider_states (provider_id, cool_until, cool_reason, probe_until, windows) values ($1, $2, $3, $4, $5)",
    [
      ...[id, given.cool_until ?? null, given.cool_until ? "limit_reached" : null, given.probe_until ?? null],
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

/** A window as it was said just now. */
export const windowNow = (world: World, used_pct: number, lasts = 3_600_000) => ({
  used_pct,
  reset_at: new Date(world.clock.ms() + lasts).toISOString(),
  taken_at: world.clock.now().toISOString(),
})
