import * as oauth from "oauth4webapi"
import * as z from "zod"
import type { Context } from "../actor/context.ts"
import type { ProviderLogin } from "../base/provider-logins.ts"
import { required } from "./login-settings.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { partsOf, providerRequest, type Tokens, tokensOfCode, tokensOfDevice } from "./token-endpoint.ts"
import { TokenError } from "./token-errors.ts"

/** A device code, as its login keeps it sealed. */
export interface DeviceCode {
  device_code: string
  user_code: string
  verification_uri: string
  /** The same page with the user code in its URL. */
  verification_uri_complete: string | null
}

export interface NewDeviceCode extends DeviceCode {
  interval: number
  /** Seconds. */
  expires_in: number
}

const shown = z.string().regex(/^[\x20-\x7e]{1,200}$/)
const page = z.url({ protocol: /^https?$/ }).max(2048)
const seconds = z.coerce.number().min(0).max(1e9)

const answerSchema = z.object({
  device_code: z.string().min(1).max(8192),
  user_code: shown,
  verification_uri: page,
  verification_uri_complete: page.nullish(),
  interval: seconds.nullish(),
  expires_in: seconds.nullish(),
})

/** Requests a code that a person confirms elsewhere (RFC 8628 section 3.1). Throws TokenError. */
export async function deviceCodeOf(ctx: Context, login: ProviderLogin): Promise<NewDeviceCode> {
  const said = await (login.device === "code" ? codeVariant(ctx, login) : standard(ctx, login))
  const parsed = answerSchema.safeParse(said)
  if (!parsed.success)
    throw new TokenError("lost", `Its answer has no valid ${String(parsed.error.issues[0]?.path[0])}.`)
  const { interval, expires_in, verification_uri_complete, ...code } = parsed.data
  const longest = PROVIDER_POLICY.deviceMs / 1000
  return {
    ...code,
    verification_uri_complete: verification_uri_complete ?? null,
    interval: Math.min(Math.ceil(interval || PROVIDER_POLICY.intervalSeconds), longest),
    expires_in: Math.min(expires_in || PROVIDER_POLICY.loginMs / 1000, longest),
  }
}

async function standard(ctx: Context, login: ProviderLogin): Promise<unknown> {
  const { server, client, by } = partsOf(ctx, login)
  const parameters = { ...login.parameters, ...(login.scope && { scope: login.scope }) }
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: providerRequest(ctx) }
  const response = await oauth.deviceAuthorizationRequest(server, client, by, parameters, options)
  return jsonOf(response)
}

async function codeVariant(ctx: Context, login: ProviderLogin): Promise<unknown> {
  const url = required(login.device_authorization_endpoint)
  const body = { client_id: login.client_id, ...(login.scope && { scope: login.scope }), ...login.parameters }
  const said = fields.safeParse(await postJson(ctx, url, body)).data
  const device_code = said?.device_auth_id ?? said?.device_code
  return {
    ...said,
    device_code,
    user_code: said?.user_code ?? said?.usercode,
    verification_uri: login.verification_uri,
  }
}

const fields = z.record(z.string(), z.unknown())

/**
 * Polls once. Throws TokenError, also for the provider's answers pending,
 * slow_down, denied, expired and refused.
 */
export async function pollDevice(ctx: Context, login: ProviderLogin, device: DeviceCode): Promise<Tokens> {
  if (login.device === "rfc8628") return tokensOfDevice(ctx, login, device.device_code)
  const body = { device_auth_id: device.device_code, user_code: device.user_code }
  const said = doneSchema.safeParse(await postJson(ctx, required(login.device_token_endpoint), body, [403, 404]))
  if (!said.success) throw new TokenError("lost", "Its answer has no authorisation code with its verifier.")
  const { authorization_code: code, code_verifier: verifier } = said.data
  return tokensOfCode(ctx, login, { code, verifier, redirectUri: required(login.redirect_uri) })
}

const doneSchema = z.object({ authorization_code: z.string().min(1), code_verifier: z.string().min(1) })

async function postJson(ctx: Context, url: string, body: object, pending: number[] = []): Promise<unknown> {
  const headers = { "content-type": "application/json", accept: "application/json" }
  const init = { method: "POST", headers, body: JSON.stringify(body), redirect: "manual" } as const
  return jsonOf(await providerRequest(ctx, pending)(url, init))
}

async function jsonOf(response: Response): Promise<unknown> {
  return response.json().catch(() => {
    // The parser's message would quote the answer.
    throw new TokenError("lost", "Its answer is not JSON.")
  })
}
