import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { editAs } from "../actor/edit-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { timeInWords } from "../base/in-words.ts"
import { toInstant } from "../base/time.ts"
import { call } from "../platform/db.ts"
import type { Answers } from "../platform/procedures.ts"
import { ACCOUNT_HEALTH } from "./account.ts"
import { accountOf } from "./account-of.ts"
import { type Authorization, beginLogin } from "./authorization-url.ts"
import { openCredential, sealCredential } from "./credential.ts"
import { keepTrying } from "./keep-trying.ts"
import { loginOf } from "./login-settings.ts"
import { adminOf, type authStartedSchema } from "./main-login.ts"
import { callbackCode } from "./pasted-code.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { openLogin, sealLogin } from "./sealed-login.ts"
import { tokensOfCode } from "./token-endpoint.ts"
import { loginError } from "./token-errors.ts"

const MEDIA = "media"

export const mediaStatusSchema = z
  .object({
    status: z.enum(["logged_in", "logged_out"]).meta({
      description: "`logged_in`: the account has a credential, and its provider has not refused it.",
      example: "logged_in",
    }),
    account: z
      .string()
      .nullable()
      .meta({ description: "The account's name at its provider.", example: "media@people.com" }),
    health: z.enum(ACCOUNT_HEALTH).nullable().meta({
      description: "Null before the first login. `contained`: a refreshed credential may have been lost. Log in again.",
      example: "healthy",
    }),
    disabled: z.boolean().meta({ example: false }),
    expires_at: z.iso.datetime().nullable().meta({ description: "When the access token expires. Null if not known." }),
    locked: z.boolean().meta({ description: "True while a worker refreshes the credential.", example: false }),
    login: z
      .object({
        started_by: z.object({ user_id: z.int(), name: z.string().nullable().meta({ example: "Ada" }) }),
        expires_at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: "The running login. Null if no login is running." }),
  })
  .meta({ id: "MediaStatus" })

/** MediaCompleteRequest of docs/contract.md. */
export const mediaCompleteSchema = z
  .strictObject({
    callback_url: z.string().min(1).max(8192).meta({
      description:
        "The whole URL to which the provider redirected, on your own machine. Paste it even if the page did not open.",
      example: "http://127.0.0.1:8976/callback?code=ac-7f3a…&state=st-91bc…",
    }),
  })
  .meta({ id: "MediaCompleteRequest" })

export const mediaCompletedSchema = z
  .object({
    status: z.literal("logged_in").meta({ example: "logged_in" }),
    account: z
      .string()
      .nullable()
      .meta({ description: "The account's name at its provider.", example: "media@people.com" }),
    expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the new access token expires, as it was read back. Null if not known." }),
  })
  .meta({ id: "MediaCompleted" })

/** Reads the state of the media credential for admins, without the credential itself. */
export async function getMedia(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.input<typeof mediaStatusSchema>> {
  const now = ctx.clock.now()
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("caller")
        .leftJoin("provider_accounts as a", (join) => join.on("a.provider_id", "=", MEDIA))
        .leftJoin("provider_credentials as c", "c.provider_id", "a.provider_id")
        .leftJoin("provider_logins as l", (join) =>
          join.on("l.pool", "=", "media").on("l.state", "=", "polling").on("l.expires_at", ">", now),
        )
        .leftJoin("users as u", "u.user_id", "l.started_by")
        .select(["a.name", "a.health", "a.disabled_at", "c.expires_at", "c.refreshing_until", "c.version"])
        .select(["l.started_by", "u.name as starter", "l.expires_at as login_until"])
        .limit(1),
    { role: "admin" },
  )
  const row = rows[0]
  const until = row?.refreshing_until ? new Date(row.refreshing_until) : null
  const health = until && until <= now ? "contained" : (row?.health ?? null)
  return {
    status: row?.version != null && health !== "needs_login" ? "logged_in" : "logged_out",
    account: row?.name ?? null,
    health: health as "healthy" | null,
    disabled: row?.disabled_at != null,
    expires_at: toInstant(row?.expires_at ?? null),
    locked: until !== null && until > now,
    login:
      row?.started_by == null || !row.login_until
        ? null
        : { started_by: { user_id: row.started_by, name: row.starter }, expires_at: toInstant(row.login_until) },
  }
}

type LoginRow = Answers["media_login"]

export const START_MEDIA_LOGIN_ERRORS = ["LOGIN_NOT_CONFIGURED", "LOGIN_RUNNING"] as const

/**
 * Starts a login, or returns the one that this admin has running. Throws LOGIN_RUNNING for another
 * admin's, or LOGIN_NOT_CONFIGURED.
 */
export async function startMediaLogin(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.input<typeof authStartedSchema>> {
  await adminOf(ctx, credential)
  const authorization = await beginLogin(loginOf(ctx, MEDIA))
  const now = ctx.clock.now()
  const login_id = newId("login", now)
  const row = await editAs(ctx, credential, "start_media_login", {
    args: {
      login_id,
      sealed: await sealLogin(ctx, login_id, authorization),
      expires_at: new Date(now.getTime() + PROVIDER_POLICY.loginMs),
    },
    refusals: { running: ["LOGIN_RUNNING", "Another admin is logging in to it. Try again later."] },
    serialize: (entity: LoginRow) => entity,
  })
  const { url } = await openLogin<Authorization>(ctx, row.login_id, row.sealed)
  return { authorization_url: url, expires_at: toInstant(row.expires_at) }
}

export const COMPLETE_MEDIA_LOGIN_ERRORS = [
  "LOGIN_NOT_CONFIGURED",
  "LOGIN_NOT_STARTED",
  "LOGIN_EXPIRED",
  "LOGIN_RUNNING",
  "LOGIN_CODE_INVALID",
  "CONFLICT",
  "LOGIN_DENIED",
  "LOGIN_PROVIDER_FAILED",
  "LOGIN_PROVIDER_UNAVAILABLE",
] as const

/**
 * Completes the login with the pasted callback URL, and reads the saved credential back. Throws
 * LOGIN_NOT_STARTED, LOGIN_EXPIRED, LOGIN_RUNNING, LOGIN_CODE_INVALID, LOGIN_DENIED,
 * LOGIN_PROVIDER_UNAVAILABLE, LOGIN_PROVIDER_FAILED, or CONFLICT while the login is being completed.
 */
export async function completeMediaLogin(
  ctx: Context,
  credential: SessionCredential,
  callbackUrl: string,
): Promise<z.input<typeof mediaCompletedSchema>> {
  await adminOf(ctx, credential)
  const settings = loginOf(ctx, MEDIA)
  const until = new Date(ctx.clock.now().getTime() + PROVIDER_POLICY.takeMs)
  const { login_id, sealed, takes } = await takeMedia(ctx, credential, until)
  try {
    const { state, verifier, redirect_uri } = await openLogin<Authorization>(ctx, login_id, sealed)
    const code = callbackCode(callbackUrl, { state, redirect_uri }, settings.issuer)
    const tokens = await tokensOfCode(ctx, settings, { code, redirectUri: redirect_uri, verifier, state })
    const { external_id, label } = accountOf(settings, tokens)
    const { access_token, refresh_token, expires_at } = tokens
    const opens = { kind: "oauth" as const, access_token, refresh_token, headers: settings.headers }
    const resealed = await sealCredential(ctx, MEDIA, opens)
    const { engine, base_url = null } = settings
    const account = { provider_id: MEDIA, pool: MEDIA, name: label, kind: "oauth_code", engine, base_url, external_id }
    await keepTrying(ctx, () =>
      editAs(ctx, credential, "finish_media_login", {
        args: { login_id, takes, account, sealed: resealed, expires_at },
        refusals: { superseded: ["CONFLICT", "The login has ended in the meantime. Start another one."] },
        serialize: () => null,
      }),
    )
    return await readBack(ctx, credential, access_token)
  } catch (error) {
    const now = ctx.clock.now()
    // Release the claim, so that a corrected URL can be pasted. If the release fails,
    // the claim expires after a minute.
    await call(ctx.db, "keep_login", { login_id, takes, interval_seconds: null, due_at: now, moment: now }).catch(
      () => {},
    )
    throw loginError(error, "callback_url")
  }
}

async function takeMedia(ctx: Context, credential: SessionCredential, until: Date): Promise<LoginRow> {
  const { row } = await callAs(ctx, credential, "take_media_login", { until })
  if (row.entity) return row.entity
  const refusal = TAKE_REFUSALS[row.refused ?? ""]
  throw refusal ? new TurnpikeError(...refusal) : new Error(`take_media_login refused: ${row.refused}`)
}

const TAKE_REFUSALS: Record<string, ConstructorParameters<typeof TurnpikeError>> = {
  none: ["LOGIN_NOT_STARTED", "You have no login in progress. Start one."],
  expired: ["LOGIN_EXPIRED", `Your login took longer than ${timeInWords(PROVIDER_POLICY.loginMs)}. Start another one.`],
  running: ["LOGIN_RUNNING", "Another admin is logging in to it. Try again later."],
  busy: ["CONFLICT", "The login is already being completed. Read its status."],
}

/** Checks that the saved token is the one that the provider just issued. */
async function readBack(ctx: Context, credential: SessionCredential, accessToken: string) {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("caller")
        .innerJoin("provider_accounts as a", (join) => join.on("a.provider_id", "=", MEDIA))
        .innerJoin("provider_credentials as c", "c.provider_id", "a.provider_id")
        .select(["a.name", "c.sealed", "c.expires_at"]),
    { role: "admin" },
  )
  const opened = rows[0] && (await openCredential(ctx, MEDIA, rows[0].sealed)).credential
  if (!rows[0] || opened?.kind !== "oauth" || opened.access_token !== accessToken) {
    throw new TurnpikeError("CONFLICT", "Another admin has logged in to it at the same time. Read its status.")
  }
  return { status: "logged_in" as const, account: rows[0].name, expires_at: toInstant(rows[0].expires_at) }
}
