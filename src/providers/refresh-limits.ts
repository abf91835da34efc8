import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { ENGINE_URLS } from "../agent/engine.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import { readSetting } from "../settings/settings.ts"
import { type PoolContext, publishSoon } from "./capacity.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { type ProviderAccount, type ProviderRow, serializeProvider } from "./provider-row.ts"
import { type CallCredential, freshCredential, type SealedCredential } from "./refresh.ts"
import { windowsOf } from "./windows.ts"

type Engine = ProviderAccount["engine"]

export const REFRESH_LIMITS_ERRORS = [
  "NOT_FOUND",
  "PROVIDER_DISABLED",
  "PROVIDER_FAILED",
  "LOGIN_NOT_CONFIGURED",
] as const

/**
 * Reads an account's limits from the headers of one cheap request (the setting `provider_limit_requests`), and stores
 * them. Throws NOT_FOUND, PROVIDER_DISABLED, or PROVIDER_FAILED if the provider does not report them.
 */
export async function refreshLimits(
  ctx: PoolContext,
  credential: SessionCredential,
  providerId: string,
): Promise<ProviderAccount> {
  const account = await findAccount(ctx, credential, providerId)
  const headers = await askLimits(ctx, account)
  const provider = await editAs(ctx, credential, "note_limits", {
    args: { provider_id: providerId, windows: windowsOf(headers, ctx.clock.now()) },
    refusals: { not_found: ["NOT_FOUND", "The account was removed in the meantime."] },
    serialize: (row: ProviderRow) => serializeProvider(row),
  })
  publishSoon(ctx)
  return provider
}

type Account = Awaited<ReturnType<typeof findAccount>>

async function findAccount(ctx: Context, credential: SessionCredential, providerId: string) {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("provider_accounts as a")
        .innerJoin("caller", (join) => join.onTrue())
        .leftJoin("provider_credentials as c", "c.provider_id", "a.provider_id")
        .where("a.provider_id", "=", providerId)
        .where("a.pool", "<>", "media")
        .select(["a.provider_id", "a.engine", "a.base_url", "a.disabled_at"])
        .select(["c.sealed", "c.expires_at", "c.version as credential_version"]),
    { role: "admin" },
  )
  const [account] = rows
  if (!account) throw new TurnpikeError("NOT_FOUND", "No account has this id.")
  if (account.disabled_at !== null)
    throw new TurnpikeError("PROVIDER_DISABLED", "The account is disabled. Enable it first.")
  return account
}

/** Returns the headers of the provider's answer. A refused token is refreshed once, as in a model call. */
async function askLimits(ctx: Context, { sealed, credential_version, expires_at, ...account }: Account) {
  if (sealed === null || credential_version === null)
    throw failed("the account has no credential. Log in to it, or add its API key")
  const { provider_id } = account
  const from = { provider_id, sealed, expires_at: toInstant(expires_at), credential_version }
  const opened = await openedBy(ctx, from, { after401: false })
  let response = await send(ctx, account, opened)
  if (response.status === 401 && opened.kind === "bearer") {
    response = await send(ctx, account, await openedBy(ctx, opened.from, { after401: true }))
  }
  // An answer 429 has the headers too.
  const full = response.status === 429 && windowsOf(response.headers, ctx.clock.now()).length > 0
  if (!response.ok && !full) throw failed(`the provider answered HTTP ${response.status}`)
  return response.headers
}

async function send(ctx: Context, account: Pick<Account, "engine" | "base_url">, opened: CallCredential) {
  const requests = await readSetting(ctx, "provider_limit_requests")
  const engine = account.engine as Engine
  const { method, path, body } = requests[engine]
  const url = `${(account.base_url ?? ENGINE_URLS[engine] ?? "").replace(/\/+$/, "")}${path}`
  const response = await ctx
    .fetch(url, {
      method,
      headers: { ...headersOf(engine, opened), ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // No other server may get the credential.
      redirect: "manual",
      signal: AbortSignal.timeout(PROVIDER_POLICY.limitsMs),
    })
    .catch((error: unknown) => {
      const late = error instanceof Error && error.name === "TimeoutError"
      throw failed(
        late ? `the provider did not answer in ${PROVIDER_POLICY.limitsMs / 1000} s` : "the provider cannot be reached",
        error,
      )
    })
  await response.body?.cancel()
  return response
}

const openedBy = (ctx: Context, from: SealedCredential, { after401 }: { after401: boolean }) =>
  freshCredential(ctx, from, { after401 }).catch((error: unknown) => {
    if (error instanceof TurnpikeError) throw error
    throw failed("its credential cannot be used", error)
  })

function headersOf(engine: Engine, { kind, secret, headers }: CallCredential): Record<string, string> {
  const key =
    engine === "anthropic" && kind === "api_key" ? { "x-api-key": secret } : { authorization: `Bearer ${secret}` }
  return { ...(engine === "anthropic" && { "anthropic-version": "2023-06-01" }), ...key, ...headers }
}

/** Leaves out the cause's message, which may contain the credential. */
function failed(why: string, cause?: unknown): TurnpikeError {
  const message = `The limits of the account could not be read: ${why}. Nothing has changed.`
  return new TurnpikeError("PROVIDER_FAILED", message, {
    ...(cause instanceof Error && { cause: new Error(cause.name) }),
  })
}
