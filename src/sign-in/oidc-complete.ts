import { decodeProtectedHeader } from "jose"
import * as oauth from "oauth4webapi"
import { TurnpikeError } from "../base/errors.ts"
import type { AuthContext } from "./auth-context.ts"
import { type OauthState, stateOf } from "./oidc-begin.ts"
import {
  authenticationOf,
  clientOf,
  type OidcSettings,
  type Provider,
  providerErrors,
  requestOptions,
} from "./oidc-provider.ts"
import { consumeToken } from "./one-time-token.ts"
import { OIDC_POLICY } from "./policies.ts"
import type { ProvedIdentity } from "./resolve-identity.ts"

/**
 * Consumes the flow that this browser started. Throws LOGIN_STATE_INVALID, and keeps the flow, for any other browser.
 */
export async function redeemState(
  ctx: AuthContext,
  settings: OidcSettings,
  { state, ticket }: { state: string; ticket: string | undefined },
): Promise<OauthState> {
  if (!ticket || (await stateOf(ticket)) !== state) throw stateInvalid()
  const flow = (await consumeToken<OauthState>(ctx, "oauth_state", ticket))?.payload
  // If the provider's settings have changed, the new provider must not get a code of the former one.
  if (!flow || flow.client_id !== settings.clientId || flow.provider.issuer !== settings.issuer) throw stateInvalid()
  return flow
}

const stateInvalid = () =>
  new TurnpikeError(
    "LOGIN_STATE_INVALID",
    "This browser did not start this login, or the login was already used or has expired. Start again.",
  )

interface Return {
  flow: OauthState
  state: string
  /** The query of the provider's redirect. */
  answer: URLSearchParams
}

export const COMPLETE_AUTHORIZATION_ERRORS = [
  "LOGIN_STATE_INVALID",
  "LOGIN_DENIED",
  "LOGIN_PROVIDER_FAILED",
  "LOGIN_PROVIDER_UNAVAILABLE",
] as const

/**
 * Exchanges the code (RFC 6749 section 4.1.3, RFC 7636) and validates the response (RFC 9207) and
 * the ID token (OpenID Connect Core 1.0, section 3.1.3.7). Throws LOGIN_DENIED,
 * LOGIN_PROVIDER_FAILED, LOGIN_PROVIDER_UNAVAILABLE, or LOGIN_STATE_INVALID if the code is invalid.
 */
export async function completeAuthorization(
  ctx: AuthContext,
  settings: OidcSettings,
  back: Return,
): Promise<ProvedIdentity> {
  const { provider } = back.flow
  const tokens = await providerErrors("token", () => exchange(ctx, settings, back))
  const said = await providerErrors("ID token", () => claimsOf(ctx, settings, tokens))
  const asks = said.email === undefined && provider.userinfo_endpoint !== undefined
  const subject = { accessToken: tokens.access_token, subject: said.sub }
  // `email_verified` is valid only for the email from the same source.
  const { email, email_verified, name } = asks ? await userInfo(ctx, settings, { provider, ...subject }) : said
  return {
    issuer: provider.issuer,
    subject: said.sub,
    email: typeof email === "string" ? email : null,
    emailVerified: isVerified(email_verified),
    name: [said.name, name].find((one) => typeof one === "string") ?? null,
  }
}

/**
 * A boolean (OpenID Connect Core 1.0, section 5.1), or its text, which Amazon Cognito sends. Any other value throws
 * LOGIN_PROVIDER_FAILED, because this claim decides whether accounts are joined.
 */
function isVerified(claim: unknown): boolean {
  if (claim === undefined || claim === null) return false
  if (claim === true || claim === "true") return true
  if (claim === false || claim === "false") return false
  const message = "The identity provider sent an `email_verified` that is neither true nor false."
  throw new TurnpikeError("LOGIN_PROVIDER_FAILED", message)
}

/** Exchanges the code for tokens, and checks the ID token's form, claims, nonce and signature. */
async function exchange(
  ctx: AuthContext,
  settings: OidcSettings,
  { flow, state, answer }: Return,
): Promise<oauth.TokenEndpointResponse> {
  const { provider, redirect_uri, code_verifier, nonce } = flow
  const [client, options] = [clientOf(ctx, settings), requestOptions(ctx)]
  const by = authenticationOf(provider, settings)
  try {
    const code = oauth.validateAuthResponse(provider, client, answer, state)
    const response = await oauth.authorizationCodeGrantRequest(
      provider,
      client,
      by,
      code,
      redirect_uri,
      code_verifier,
      options,
    )
    const expected = { expectedNonce: nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(provider, client, response, expected)
    await oauth.validateApplicationLevelSignature(provider, response, options)
    return tokens
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw denied(error)
    if (error instanceof oauth.ResponseBodyError && error.error === "invalid_grant") throw stateInvalid()
    throw error
  }
}

/** The claims of the ID token, after the checks that the library leaves to us. */
async function claimsOf(
  ctx: AuthContext,
  { clientId }: OidcSettings,
  tokens: oauth.TokenEndpointResponse,
): Promise<oauth.IDToken> {
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (!claims) throw new Error("it is missing")
  const now = ctx.clock.now().getTime() / 1000
  if (claims.iat > now + OIDC_POLICY.toleranceSeconds) throw new Error("it was issued in the future")
  if (claims.azp !== undefined && claims.azp !== clientId) throw new Error("it is for another party (azp)")
  if (!(await fitsAccessToken(tokens, claims.at_hash))) throw new Error("it belongs to another access token (at_hash)")
  return claims
}

/** Two errors of RFC 6749 section 4.1.2.1 are temporary faults, not denials. */
function denied({ error }: oauth.AuthorizationResponseError): TurnpikeError {
  if (error === "server_error" || error === "temporarily_unavailable") {
    return new TurnpikeError(
      "LOGIN_PROVIDER_UNAVAILABLE",
      "The identity provider is temporarily unavailable. Start again shortly.",
      {
        retryAfter: OIDC_POLICY.retryAfterSeconds,
      },
    )
  }
  return new TurnpikeError("LOGIN_DENIED", "The identity provider did not sign you in.")
}

/** Reads the userinfo claims of the same subject (OpenID Connect Core 1.0, section 5.3), unsigned. */
async function userInfo(
  ctx: AuthContext,
  settings: OidcSettings,
  { provider, accessToken, subject }: { provider: Provider; accessToken: string; subject: string },
): Promise<Record<string, unknown>> {
  return providerErrors("userinfo", async () => {
    const client = clientOf(ctx, settings)
    const response = await oauth.userInfoRequest(provider, client, accessToken, requestOptions(ctx))
    if (response.headers.get("content-type")?.startsWith("application/jwt"))
      throw new Error("it is a JWT, which was not requested")
    return oauth.processUserInfoResponse(provider, client, subject, response)
  })
}

/**
 * True if `at_hash` is missing or matches the left half of the access token's hash (OpenID Connect Core 1.0, 3.1.3.6).
 */
async function fitsAccessToken(tokens: oauth.TokenEndpointResponse, atHash: unknown): Promise<boolean> {
  if (atHash === undefined) return true
  const { alg } = decodeProtectedHeader(tokens.id_token ?? "")
  const bits = alg?.startsWith("Ed") ? "512" : alg?.slice(-3)
  const digest = await crypto.subtle.digest(`SHA-${bits}`, new TextEncoder().encode(tokens.access_token))
  return atHash === Buffer.from(digest.slice(0, digest.byteLength / 2)).toString("base64url")
}
