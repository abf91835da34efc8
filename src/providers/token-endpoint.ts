import * as oauth from "oauth4webapi"
import type { Context } from "../actor/context.ts"
import type { ProviderLogin } from "../base/provider-logins.ts"
import { secondsAhead } from "../platform/clock.ts"
import { createOauthFetch, presentFields } from "../platform/oauth-fetch.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { operatorsPolicy } from "./login-settings.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { claimsOf } from "./token-claims.ts"
import { TokenError, type TokenFailure } from "./token-errors.ts"

/** The tokens that a provider issued, and its whole answer. */
export interface Tokens {
  access_token: string
  refresh_token: string | null
  /** When the access token expires; null: never, or not known. */
  expires_at: Date | null
  answer: Record<string, unknown>
}

/**
 * OAuth error codes with a definite meaning (RFC 6749 section 5.2, RFC 8628 section
 * 3.5). All others are `passing`.
 */
const SAID: Record<string, TokenFailure> = {
  invalid_grant: "refused",
  authorization_pending: "pending",
  slow_down: "slow_down",
  access_denied: "denied",
  expired_token: "expired",
}

/** Exchanges a code for tokens (RFC 6749 section 4.1.3, RFC 7636). Throws TokenError. */
export function tokensOfCode(
  ctx: Context,
  login: ProviderLogin,
  { code, redirectUri, verifier, state }: { code: string; redirectUri: string; verifier: string; state?: string },
): Promise<Tokens> {
  return asked(ctx, login, async (server, client, by, options) => {
    // The library takes the parameters of a validated answer only. A pasted code comes without one.
    const given = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.expectNoState)
    const more = login.token_state && state ? { additionalParameters: { state } } : {}
    const request = { ...options, ...more }
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      by,
      given,
      redirectUri,
      verifier,
      request,
    )
    return oauth.processAuthorizationCodeResponse(server, client, response)
  })
}

/** Exchanges a refresh token for new tokens. That may use it up. Throws TokenError. */
export function refreshedTokens(ctx: Context, login: ProviderLogin, refreshToken: string): Promise<Tokens> {
  return asked(ctx, login, async (server, client, by, options) => {
    const response = await oauth.refreshTokenGrantRequest(server, client, by, refreshToken, options)
    return oauth.processRefreshTokenResponse(server, client, response)
  })
}

/** Polls once with a device code (RFC 8628 section 3.4). Throws TokenError. */
export function tokensOfDevice(ctx: Context, login: ProviderLogin, deviceCode: string): Promise<Tokens> {
  return asked(ctx, login, async (server, client, by, options) => {
    const response = await oauth.deviceCodeGrantRequest(server, client, by, deviceCode, options)
    return oauth.processDeviceCodeResponse(server, client, response)
  })
}

/** The library's parameters for a request to a login's provider. */
export function partsOf(ctx: Context, login: ProviderLogin) {
  const server: oauth.AuthorizationServer = {
    issuer: login.issuer ?? new URL(login.token_endpoint).origin,
    token_endpoint: login.token_endpoint,
    ...(login.device_authorization_endpoint && { device_authorization_endpoint: login.device_authorization_endpoint }),
  }
  const client: oauth.Client = {
    client_id: login.client_id,
    [oauth.clockSkew]: secondsAhead(ctx.clock),
    [oauth.clockTolerance]: PROVIDER_POLICY.toleranceSeconds,
  }
  const { client_secret: secret } = login
  const byPost = login.client_auth === "post"
  const by =
    secret === undefined ? oauth.None() : byPost ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
  return { server, client, by }
}

/**
 * Makes a fetch for requests to a login's provider. It returns successful answers only, read in
 * full, and throws TokenError otherwise. `pending`: statuses that mean "not confirmed yet".
 */
export function providerRequest(ctx: Context, pending: number[] = []) {
  const { timeoutMs, maxBytes } = PROVIDER_POLICY
  const send = createOauthFetch(ctx, { policy: operatorsPolicy(ctx), timeoutMs, maxBytes })
  return async (url: string, options: oauth.CustomFetchOptions<string, unknown>): Promise<Response> => {
    try {
      const response = await send(url, options)
      if (pending.includes(response.status)) throw new TokenError("pending", "The login is not confirmed yet.")
      if (!response.ok) throw await refusalOf(response)
      return new Response(await response.text(), { status: response.status, headers: response.headers })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new TokenError(error.kind === "refused" ? "passing" : "lost", error.message, error.kind === "too_large")
    }
  }
}

/**
 * Makes the error of a failed answer from its OAuth error code, if it has a known
 * one. Redirects are not followed.
 */
async function refusalOf(response: Response): Promise<TokenError> {
  const body = await response.text().catch(() => "")
  const error = response.status < 500 && response.status !== 429 ? wordOf(body) : undefined
  return new TokenError(
    SAID[error ?? ""] ?? "passing",
    `It answered HTTP ${response.status}${error ? ` ${error}` : ""}.`,
  )
}

function wordOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown }
    return typeof error === "string" && Object.hasOwn(SAID, error) ? error : undefined
  } catch {
    return undefined
  }
}

type Asking = (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  by: oauth.ClientAuth,
  options: oauth.TokenEndpointRequestOptions & Record<symbol, unknown>,
) => Promise<oauth.TokenEndpointResponse>

async function asked(ctx: Context, login: ProviderLogin, ask: Asking): Promise<Tokens> {
  const { server, client, by } = partsOf(ctx, login)
  const request = providerRequest(ctx)
  let answer: Record<string, unknown> = {}
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: async (url: string, init: oauth.CustomFetchOptions<string, unknown>) => {
      const response = await request(url, login.token_format === "json" ? asJson(init) : init)
      answer = objectOf(presentFields(await response.text()))
      // Without a configured issuer the library cannot check an ID token. It came
      // from the token endpoint directly.
      const { id_token, ...rest } = answer
      const { status, headers } = response
      return new Response(JSON.stringify(login.issuer ? answer : rest), { status, headers })
    },
  }
  try {
    const tokens = await ask(server, client, by, options)
    if (!/^[\x21-\x7e]+$/.test(tokens.access_token))
      throw new TokenError("lost", "Its access token has characters that a header cannot contain.")
    return {
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token || null,
      expires_at: endOf(ctx, tokens),
      answer,
    }
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof TokenError) throw cause
    // Use the library's messages only: its causes contain the answer.
    throw new TokenError("lost", `Its answer is not valid: ${error instanceof Error ? error.message : "unknown"}.`)
  }
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown = null
  try {
    value = JSON.parse(text)
  } catch {
    // The error is thrown below, since the parser's message would quote the answer.
  }
  if (typeof value !== "object" || value === null) throw new TokenError("lost", "Its answer is not a JSON object.")
  return value as Record<string, unknown>
}

function asJson(init: oauth.CustomFetchOptions<string, unknown>): oauth.CustomFetchOptions<string, unknown> {
  const fields = Object.fromEntries(init.body as URLSearchParams)
  const headers = { ...Object.fromEntries(new Headers(init.headers)), "content-type": "application/json" }
  return { ...init, headers, body: JSON.stringify(fields) }
}

/** The longest lifetime of a token that is believed. */
const LONGEST_SECONDS = 10 * 365 * 24 * 3600

/** When an access token expires: by the answer, or by the token itself if it is a JWT. Null if not known. */
function endOf({ clock }: Context, tokens: oauth.TokenEndpointResponse): Date | null {
  const now = clock.now().getTime()
  const { expires_in } = tokens
  const { exp } = claimsOf(tokens.access_token)
  const seconds = expires_in ?? (typeof exp === "number" ? exp - now / 1000 : undefined)
  return seconds === undefined || !Number.isFinite(seconds)
    ? null
    : new Date(now + Math.max(0, Math.min(seconds, LONGEST_SECONDS)) * 1000)
}
