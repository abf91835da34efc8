import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { toInstant } from "../base/time.ts"
import { type DeviceCode, deviceCodeOf } from "./device-endpoint.ts"
import { loginOf } from "./login-settings.ts"
import { adminOf } from "./main-login.ts"
import { publishPoll } from "./poll-device-login.ts"
import { openLogin, sealLogin } from "./sealed-login.ts"
import { loginError } from "./token-errors.ts"

const shownFields = {
  verification_url: z.string().meta({
    description: "The page on which the user confirms the login.",
    example: "https://login.provider.com/device",
  }),
  verification_url_complete: z.string().nullable().meta({
    description: "The same page with the code in its URL. Null if the provider has none.",
    example: "https://login.provider.com/device?user_code=WDJB-MJHT",
  }),
  user_code: z.string().meta({ description: "The one-time code to enter on that page.", example: "WDJB-MJHT" }),
}

export const deviceStartedSchema = z
  .object({
    login_id: z.string().meta({ example: "lgn_01k8m3v9q2x7" }),
    ...shownFields,
    interval_seconds: z
      .int()
      .meta({ description: "The time between two polls of the provider, in seconds.", example: 5 }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "DeviceLoginStarted" })

export const deviceStatusSchema = z
  .object({
    status: z.enum(["idle", "polling", "authorized", "expired", "error"]).meta({
      description: "The status of the newest login. `idle`: no login has been started.",
      example: "polling",
    }),
    error: z
      .string()
      .nullable()
      .meta({
        description:
          "Why the login failed: `denied`, `refused`, `lost` (the provider's answer did not arrive or is not valid), " +
          "`not_configured`, `not_admin`, `taken`, `superseded` or `expired`. Null if it did not fail.",
        example: null,
      }),
    provider_id: z
      .string()
      .nullable()
      .meta({ description: "The account that the login created or renewed. Null before.", example: null }),
    verification_url: shownFields.verification_url.nullable(),
    verification_url_complete: shownFields.verification_url_complete,
    user_code: shownFields.user_code
      .nullable()
      .meta({ description: "The one-time code. Null unless the status is `polling`.", example: "WDJB-MJHT" }),
    expires_at: z.iso.datetime().nullable(),
    started_by: z.object({ user_id: z.int(), name: z.string().nullable().meta({ example: "Ada" }) }).nullable(),
  })
  .meta({ id: "DeviceLoginStatus" })

/** The codes of a login, and the client that they were issued to. */
export interface DeviceSecrets extends DeviceCode {
  client_id: string
  token_endpoint: string
}

export const START_DEVICE_LOGIN_ERRORS = [
  "LOGIN_NOT_CONFIGURED",
  "LOGIN_DENIED",
  "LOGIN_PROVIDER_FAILED",
  "LOGIN_PROVIDER_UNAVAILABLE",
  "LOGIN_CODE_INVALID",
] as const

/**
 * Starts a login and supersedes a running one. Throws LOGIN_NOT_CONFIGURED,
 * LOGIN_PROVIDER_UNAVAILABLE or LOGIN_PROVIDER_FAILED.
 */
export async function startDeviceLogin(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.input<typeof deviceStartedSchema>> {
  await adminOf(ctx, credential)
  const settings = loginOf(ctx, "alt-pool")
  const { interval, expires_in, ...code } = await deviceCodeOf(ctx, settings).catch((error: unknown) => {
    throw loginError(error)
  })
  const now = ctx.clock.now()
  const ahead = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const login_id = newId("login", now)
  const secrets: DeviceSecrets = { ...code, client_id: settings.client_id, token_endpoint: settings.token_endpoint }
  const expires_at = ahead(expires_in)
  await callAs(ctx, credential, "start_device_login", {
    login_id,
    sealed: await sealLogin(ctx, login_id, secrets),
    interval_seconds: interval,
    due_at: ahead(interval),
    expires_at,
  })
  ctx.background(publishPoll(ctx, login_id, { after: 0, delayMs: interval * 1000 }))
  return { login_id, ...shownOf(code), interval_seconds: interval, expires_at: expires_at.toISOString() }
}

const shownOf = (code: DeviceCode) => ({
  verification_url: code.verification_uri,
  verification_url_complete: code.verification_uri_complete,
  user_code: code.user_code,
})

/**
 * Reads the newest login to the alt-pool. While it is polled, the answer has its code, so
 * a reopened page shows it again.
 */
export async function getDeviceLogin(
  ctx: Context,
  credential: SessionCredential,
): Promise<z.input<typeof deviceStatusSchema>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("provider_logins as l")
        .innerJoin("caller", (join) => join.onTrue())
        .leftJoin("users as u", "u.user_id", "l.started_by")
        .where("l.pool", "=", "alt-pool")
        .select([
          "l.login_id",
          "l.state",
          "l.sealed",
          "l.error",
          "l.provider_id",
          "l.expires_at",
          "l.started_by",
          "u.name",
        ])
        .orderBy((eb) => eb("l.state", "=", "polling"), "desc")
        .orderBy("l.created_at", "desc")
        .orderBy("l.updated_at", "desc")
        .limit(1),
    { role: "admin" },
  )
  const [row] = rows
  const nothing = { verification_url: null, verification_url_complete: null, user_code: null }
  if (!row) return { status: "idle", error: null, provider_id: null, ...nothing, expires_at: null, started_by: null }
  const over = row.state === "polling" && new Date(row.expires_at) <= ctx.clock.now()
  const code = row.sealed !== null && !over ? await openLogin<DeviceSecrets>(ctx, row.login_id, row.sealed) : null
  return {
    status: over ? "expired" : (row.state as "polling"),
    error: over ? "expired" : row.error,
    provider_id: row.provider_id,
    ...(code ? shownOf(code) : nothing),
    expires_at: toInstant(row.expires_at),
    started_by: { user_id: row.started_by, name: row.name },
  }
}
