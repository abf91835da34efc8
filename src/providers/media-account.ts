import type { Context } from "../actor/context.ts"
import type { SealedCredential } from "./refresh.ts"

/** The account that pictures are made with, as this moment has it. */
export interface MediaAccount extends SealedCredential {
  engine: string
  /** Null: the engine's own. */
  base_url: string | null
}

/** Null while none is logged in, or the one there is may not be used. */
export async function findMediaAccount({ db }: Pick<Context, "db">): Promise<MediaAccount | null> {
  const row = await db
    .selectFrom("provider_accounts as a")
    .innerJoin("provider_credentials as c", "c.provider_id", "a.provider_id")
    .where("a.pool", "=", "media")
    .where("a.disabled_at", "is", null)
    .where("a.health", "=", "healthy")
    .select(["a.provider_id", "a.engine", "a.base_url", "c.sealed", "c.expires_at", "c.version as credential_version"])
    .limit(1)
    .executeTakeFirst()
  return row ? { ...row, expires_at: row.expires_at?.toISOString() ?? null } : null
}
