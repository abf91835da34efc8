import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { REAL_ENGINES } from "../base/words.ts"
import { checkOperatorsUrl } from "../platform/public-url.ts"
import { type AccountCredential, sealCredential } from "./credential.ts"
import { loginOf } from "./login-settings.ts"
import {
  adminOf,
  forgetLogin,
  type LoginContext,
  type MainLogin,
  notStarted,
  putLogin,
  takeLogin,
} from "./main-login.ts"
import { providerId, type SavedProvider, type SavedProviderRow, serializeSaved } from "./saved-provider.ts"

/** AddProviderRequest of docs/contract.md. */
export const addProviderSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(100).meta({ example: "Team of Ada" }),
    provider_id: providerId.optional().meta({
      description: "Left out: made of the name. Of an API key that is there: replaces it.",
      example: "team-ada",
    }),
    pool: z.enum(["main", "alt-pool"]).default("main").meta({
      description: "Accounts of `alt-pool` are logged in by device; only an API key is added to it here.",
      example: "main",
    }),
    kind: z.enum(["oauth", "api_key"]).default("oauth").meta({ example: "oauth" }),
    engine: z
      .enum(REAL_ENGINES)
      .optional()
      .meta({ description: "Left out: as PROVIDER_LOGINS says for the pool.", example: "anthropic" }),
    base_url: z
      .string()
      .max(2048)
      .regex(/^[^?#]*$/, "has no query and no fragment")
      .nullable()
      .optional()
      .meta({ description: "Null: the engine's own address. Left out: as PROVIDER_LOGINS says.", example: null }),
    api_key: z
      .string()
      .regex(/^[\x21-\x7e]{8,8192}$/, "has 8–8192 printable ASCII characters without blanks")
      .optional()
      .meta({ description: "Only of the kind `api_key`. It is never shown again.", example: "sk-example-7f3a" }),
  })
  .refine(({ kind, api_key }) => (kind === "api_key") === (api_key !== undefined), {
    path: ["api_key"],
    message: "belongs to the kind `api_key`, which needs it",
  })
  .refine(({ kind, pool }) => pool === "main" || kind === "api_key", {
    path: ["pool"],
    message: "accounts of alt-pool log in by device, or have an API key",
  })
  .meta({ id: "AddProviderRequest" })

type Wanted = z.output<typeof addProviderSchema>

/**
 * Saves an account: with the credentials of this admin's login, or with an API key. One that has the same external id is renewed, and
 * keeps its id. LOGIN_NOT_STARTED, LOGIN_EXPIRED, LOGIN_NOT_CONFIGURED, PROVIDER_EXISTS; VALIDATION_FAILED for the URL, or
 * without one that the engine needs.
 */
export async function addProvider(
  ctx: LoginContext,
  credential: SessionCredential,
  wanted: Wanted,
): Promise<SavedProvider> {
  if (wanted.base_url) checkOperatorsUrl(ctx, wanted.base_url, "base_url")
  return wanted.api_key === undefined
    ? addLoggedIn(ctx, credential, wanted)
    : addKey(ctx, credential, wanted, wanted.api_key)
}

function addKey(
  ctx: LoginContext,
  credential: SessionCredential,
  wanted: Wanted,
  api_key: string,
): Promise<SavedProvider> {
  const { name, pool } = wanted
  const settings = ctx.providerLogins[pool]
  const engine = wanted.engine ?? settings?.engine
  if (!engine) throw engineMissing()
  const base_url =
    wanted.base_url === undefined ? (settings?.engine === engine ? settings.base_url : null) : wanted.base_url
  const account = { pool, name, kind: "api_key", engine, base_url: base_url ?? null, external_id: null }
  const opens: AccountCredential = { kind: "api_key", api_key }
  const isNew = wanted.provider_id === undefined
  const save = {
    account,
    credential: opens,
    expiresAt: null,
    loginId: null,
    providerId: wanted.provider_id ?? slugOf(name),
    isNew,
  }
  return saveProvider(ctx, credential, save)
}

async function addLoggedIn(ctx: LoginContext, credential: SessionCredential, wanted: Wanted): Promise<SavedProvider> {
  const userId = await adminOf(ctx, credential)
  const settings = loginOf(ctx, "main")
  const login = await takeLogin(ctx, userId, settings)
  try {
    const { account } = login
    if (!account) throw notStarted("Your login still waits for its code: paste it first.")
    const engine = wanted.engine ?? settings.engine
    const base_url = wanted.base_url === undefined ? settings.base_url : wanted.base_url
    const { name } = wanted
    const saved = await saveProvider(ctx, credential, {
      account: {
        pool: "main",
        name,
        kind: "oauth_code",
        engine,
        base_url: base_url ?? null,
        external_id: account.external_id,
      },
      credential: credentialOf(account, settings.headers),
      expiresAt: account.token_expires_at === null ? null : new Date(account.token_expires_at),
      loginId: login.login_id,
      providerId: wanted.provider_id ?? slugOf(name),
      isNew: false,
      named: wanted.provider_id !== undefined,
    })
    await forgetLogin(ctx, userId).catch(() => {})
    return saved
  } catch (error) {
    // The login is known by its id, so adding it again does nothing twice.
    await putLogin(ctx, userId, login)
    throw error
  }
}

const credentialOf = (
  { access_token, refresh_token }: NonNullable<MainLogin["account"]>,
  headers: Record<string, string>,
): AccountCredential => ({ kind: "oauth", access_token, refresh_token, headers })

interface Save {
  account: {
    pool: string
    name: string
    kind: string
    engine: string
    base_url: string | null
    external_id: string | null
  }
  credential: AccountCredential
  expiresAt: Date | null
  loginId: string | null
  providerId: string
  /** Whether the id must not be there yet. */
  isNew: boolean
  /** Whether the caller has chosen the id. */
  named?: boolean
}

/** Credentials are sealed for their row. So an account that is there under another id is saved for that one. */
async function saveProvider(ctx: Context, credential: SessionCredential, save: Save): Promise<SavedProvider> {
  const { providerId, isNew } = save
  if (save.account.engine === "openai-compatible" && save.account.base_url === null) throw baseUrlMissing()
  const taken = `Another account has the id "${providerId}". Send another provider_id.`
  try {
    return await editAs(ctx, credential, "add_provider", {
      args: {
        account: { ...save.account, provider_id: providerId, new: isNew },
        sealed: await sealCredential(ctx, providerId, save.credential),
        expires_at: save.expiresAt,
        login_id: save.loginId,
      },
      refusals: { taken: ["PROVIDER_EXISTS", taken], moved: (_, { known_as }) => movedTo(known_as ?? "") },
      serialize: (row: SavedProviderRow) => serializeSaved(row),
    })
  } catch (error) {
    const moved = error instanceof TurnpikeError && (error.details as { provider_id?: string } | undefined)?.provider_id
    if (!moved || save.named) throw error
    return saveProvider(ctx, credential, { ...save, providerId: moved })
  }
}

function movedTo(provider_id: string): TurnpikeError {
  const message = `This account is there as "${provider_id}". Send that provider_id, or none, to renew it.`
  return new TurnpikeError("PROVIDER_EXISTS", message, { details: { provider_id } })
}

/** An id made of a name: small letters, digits and dashes. */
function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  const dashed = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "")
  const slug = (/^[a-z]/.test(dashed) ? dashed : `provider-${dashed}`).slice(0, 64).replace(/-+$/, "")
  return providerId.safeParse(slug).success ? slug : `main-${slug}`
}

/** All calls would fail, and the environment's server would be called no more. */
function baseUrlMissing(): TurnpikeError {
  const message = "is needed for an openai-compatible account, which has no address of its own"
  const faults = [{ location: "body" as const, path: ["base_url"], type: "missing", message }]
  return new TurnpikeError("VALIDATION_FAILED", `base_url: ${message}`, { param: "base_url", faults })
}

function engineMissing(): TurnpikeError {
  const message = "says whose API key it is"
  const faults = [{ location: "body" as const, path: ["engine"], type: "missing", message }]
  return new TurnpikeError("VALIDATION_FAILED", `engine: ${message}`, { param: "engine", faults })
}
