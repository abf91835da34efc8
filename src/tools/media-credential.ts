import type { Context } from "../actor/context.ts"
import { ENGINE_URLS } from "../agent/engine.ts"
import { TurnpikeError } from "../base/errors.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { type CallCredential, freshCredential, type SealedCredential } from "../providers/refresh.ts"
import { NoPicture } from "./ask-for-picture.ts"

/** The account for pictures, as it was just read. */
interface MediaAccount extends SealedCredential {
  engine: string
  /** Null: the engine's own URL. */
  base_url: string | null
}

/** The account for pictures with its opened credential. */
interface OpenedMedia {
  account: MediaAccount
  credential: CallCredential
  baseUrl: string
}

/** Opens the account for pictures. Throws NoPicture, or UNAVAILABLE from the database. */
export async function openMediaAccount(ctx: Context): Promise<OpenedMedia> {
  const account = await findMediaAccount(ctx)
  const baseUrl = account?.base_url ?? (account?.engine === "openai" ? ENGINE_URLS.openai : null)
  if (!account || baseUrl === null) throw new NoPicture("no_account")
  return { account, credential: await credentialOf(ctx, account, { after401: false }), baseUrl }
}

/**
 * Refreshes the account's token after its provider refused it. Throws the
 * same errors as openMediaAccount().
 */
export async function refreshMedia(ctx: Context, opened: OpenedMedia): Promise<OpenedMedia> {
  return { ...opened, credential: await credentialOf(ctx, opened.credential.from, { after401: true }) }
}

/** Stores that the provider refused even the refreshed token, so the account needs a login. Never throws. */
export async function refuseMedia(ctx: Context, { credential }: OpenedMedia): Promise<void> {
  const { provider_id, credential_version } = credential.from
  const said = { cool_until: null, reason: "unauthorized", health: "needs_login" }
  const nothing = { lacks: null, lacks_until: null, suspended: null, longest_pause_ms: null, windows: null }
  const args = { provider_id, credential_version, ...said, ...nothing, moment: ctx.clock.now() }
  await call(ctx.db, "note_account", args).catch((error: unknown) =>
    ctx.log("error", "provider.unnoted", { provider_id, error: describeError(error) }),
  )
}

async function credentialOf(
  ctx: Context,
  account: SealedCredential,
  { after401 }: { after401: boolean },
): Promise<CallCredential> {
  try {
    return await freshCredential(ctx, account, { after401 })
  } catch (error) {
    if (error instanceof TurnpikeError) throw error
    throw new NoPicture("no_credential")
  }
}

/** Returns null if no account is logged in, or if the account must not be used. */
async function findMediaAccount({ db }: Pick<Context, "db">): Promise<MediaAccount | null> {
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
