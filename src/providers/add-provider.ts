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
      description: "Default: made from the name. The id of an existing account with an API key replaces its key.",
      example: "team-ada",
    }),
    pool: z.enum(["main", "alt-pool"]).default("main").meta({
      description: "Accounts in `alt-pool` log in by device code, so this operation adds only API keys to it.",
      example: "main",
    }),
    kind: z.enum(["oauth", "api_key"]).default("oauth").meta({ example: "oauth" }),
    engine: z
      .enum(REAL_ENGINES)
      .optional()
      .meta({ description: "Default: the engine that PROVIDER_LOGINS names for the pool.", example: "anthropic" }),
    base_url: z
      .string()
      .max(2048)
      .regex(/^[^?#]*$/, "must not have a query or a fragment")
      .nullable()
      .optional()
      .meta({
        description: "The URL that calls go to. Null: the engine's own URL. Default: the URL in PROVIDER_LOGINS.",
        example: null,
      }),
    api_key: z
      .string()
      .regex(/^[\x21-\x7e]{8,8192}$/, "must be 8–8192 printable ASCII characters without spaces")
      .optional()
      .meta({
        description: "Required for the kind `api_key`, not allowed for any other. It is never returned.",
        example: "sk-example-7f3a",
      }),
  })
  .refine(({ kind, api_key }) => (kind === "api_key") === (api_key !== undefined), {
    path: ["api_key"],
    message: "is required for the kind `api_key`, and not allowed for any other",
  })
  .refine(({ kind, pool }) => pool === "main" || kind === "api_key", {
    path: ["pool"],
    message: "must be `main` for a login: accounts in `alt-pool` log in by device code or have an API key",
  })
  .meta({ id: "AddProviderRequest" })

type Wanted = z.output<typeof addProviderSchema>

export const ADD_PROVIDER_ERRORS = [
  "LOGIN_NOT_CONFIGURED",
  "LOGIN_NOT_STARTED",
  "LOGIN_EXPIRED",
  "PROVIDER_EXISTS",
] as const

/**
 * Saves an account with the credentials of this admin's login, or with an API key. An account with
 * the same external id keeps its id and gets the new credential. Throws LOGIN_NOT_STARTED,
 * LOGIN_EXPIRED, LOGIN_NOT_CONFIGURED, PROVIDER_EXISTS or VALIDATION_FAILED (base URL).
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
    // The account keeps the login's id, so a repeated add has no effect.
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
  /** True if no account may have this id yet. */
  isNew: boolean
  /** True if the caller chose the id. */
  named?: boolean
}

/**
 * A credential is sealed for one row. If the account exists under another id, it
 * is sealed and saved for that id.
 */
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
  const message = `This account already exists as "${provider_id}". Send that provider_id, or leave it out, to renew the account.`
  return new TurnpikeError("PROVIDER_EXISTS", message, { details: { provider_id } })
}

/** Makes an id from a name: lower-case letters, digits and dashes. */
function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  const dashed = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "")
  const slug = (/^[a-z]/.test(dashed) ? dashed : `provider-${dashed}`).slice(0, 64).replace(/-+$/, "")
  return providerId.safeParse(slug).success ? slug : `main-${slug}`
}

/** Without a base URL all calls of the account would fail, and the server of the environment would get none. */
function baseUrlMissing(): TurnpikeError {
  const message = "is required for an openai-compatible account, because that engine has no URL of its own"
  const faults = [{ location: "body" as const, path: ["base_url"], type: "missing", message }]
  return new TurnpikeError("VALIDATION_FAILED", `base_url: ${message}`, { param: "base_url", faults })
}

function engineMissing(): TurnpikeError {
  const message = "is required, because PROVIDER_LOGINS names no engine for this pool"
  const faults = [{ location: "body" as const, path: ["engine"], type: "missing", message }]
  return new TurnpikeError("VALIDATION_FAILED", `engine: ${message}`, { param: "engine", faults })
}
