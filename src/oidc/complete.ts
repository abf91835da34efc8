import { decodeProtectedHeader } from "jose"
import * as oauth from "oauth4webapi"
import { TurnpikeError } from "../errors.ts"
import type { AuthContext } from "../identity/auth-context.ts"
import { consumeToken } from "../identity/one-time-token.ts"
import { OIDC_POLICY } from "../identity/policies.ts"
import type { ProvedIdentity } from "../identity/resolve-identity.ts"
import { type OauthState, stateOf } from "./begin.ts"
import { authenticationOf, clientOf, providerErrors, providerFailed, requestOptions } from "./provider.ts"
import type { OidcSettings } from "./settings.ts"

/** Uses up what a browser has begun, if it is the one that comes back. LOGIN_STATE_INVALID: nothing of others is used up. */
export async function redeemState(
  ctx: AuthContext,
  settings: OidcSettings,
  { state, ticket }: { state: string; ticket: string | undefined },
): Promise<OauthState> {
  if (!ticket || (await stateOf(ticket)) !== state) throw stateInvalid()
  const flow = (await consumeToken<OauthState>(ctx, "oauth_state", ticket))?.payload
  // The provider was changed meanwhile: it must not get what is for another.
  if (!flow || flow.client_id !== settings.clientId || flow.provider.issuer !== settings.issuer) throw stateInvalid()
  return flow
}

const stateInvalid = () =>
  new TurnpikeError("LOGIN_STATE_INVALID", "This login was not begun in this browser, is over, or took too long.")

/**
 * Who the provider says has come back: exchanges the code (RFC 6749 section 4.1.3, RFC 7636) and validates the answer (RFC 9207)
 * and the ID token (OpenID Connect Core 1.0, section 3.1.3.7). LOGIN_DENIED, LOGIN_STATE_INVALID: the code is worth nothing;
 * LOGIN_PROVIDER_FAILED, LOGIN_PROVIDER_UNAVAILABLE.
 */
export async function completeAuthorization(
  ctx: AuthContext,
  settings: OidcSettings,
  { flow, state, answer }: { flow: OauthState; state: string; answer: URLSearchParams },
): Promise<ProvedIdentity> {
  const { provider, redirect_uri, code_verifier, nonce } = flow
  const client = clientOf(ctx, settings)
  const options = requestOptions(ctx)
  const parameters = await providerErrors("answer", async () => {
    try {
      return oauth.validateAuthResponse(provider, client, answer, state)
    } catch (error) {
      throw error instanceof oauth.AuthorizationResponseError ? denied(error) : error
    }
  })
  const tokens = await providerErrors("token", async () => {
    const by = authenticationOf(provider, settings)
    const response = await oauth.authorizationCodeGrantRequest(
      provider,
      client,
      by,
      parameters,
      redirect_uri,
      code_verifier,
      options,
    )
    try {
      const read = await oauth.processAuthorizationCodeResponse(provider, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      await oauth.validateApplicationLevelSignature(provider, response, options)
      return read
    } catch (error) {
      throw error instanceof oauth.ResponseBodyError && error.error === "invalid_grant" ? stateInvalid() : error
    }
  })
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  if (!claims) throw providerFailed("token: there is no ID token")
  const said = await providerErrors("ID token", async () => {
    const now = ctx.clock.now().getTime() / 1000
    if (claims.iat > now + OIDC_POLICY.toleranceSeconds) throw new Error("it was issued in the future")
    if (claims.azp !== undefined && claims.azp !== settings.clientId) throw new Error("it is for another party (azp)")
    if (!(await fitsAccessToken(tokens, claims.at_hash))) throw new Error("it is of another access token (at_hash)")
    return claims
  })
  const asks = said.email === undefined && provider.userinfo_endpoint !== undefined
  const more = asks ? await userInfo(ctx, settings, { flow, accessToken: tokens.access_token, subject: said.sub }) : {}
  const { email, email_verified, name } = { ...said, ...more } as Record<string, unknown>
  return {
    issuer: provider.issuer,
    subject: said.sub,
    email: typeof email === "string" ? email : null,
    // A text "true" is none: whether an account is joined hangs on it.
    emailVerified: email_verified === true,
    name: typeof name === "string" ? name : null,
  }
}

/** RFC 6749 section 4.1.2.1: two of its errors are no decision, but a fault that passes. */
function denied({ error }: oauth.AuthorizationResponseError): TurnpikeError {
  if (error === "server_error" || error === "temporarily_unavailable") {
    return new TurnpikeError(
      "LOGIN_PROVIDER_UNAVAILABLE",
      "The identity provider cannot do it now. Start again shortly.",
      {
        retryAfter: OIDC_POLICY.retryAfterSeconds,
      },
    )
  }
  return new TurnpikeError("LOGIN_DENIED", "The identity provider did not sign you in: it was refused there.")
}

/** Claims of the userinfo endpoint, of the same subject (OpenID Connect Core 1.0, section 5.3); a signed answer is not asked for. */
async function userInfo(
  ctx: AuthContext,
  settings: OidcSettings,
  { flow: { provider }, accessToken, subject }: { flow: OauthState; accessToken: string; subject: string },
): Promise<Record<string, unknown>> {
  return providerErrors("userinfo", async () => {
    const client = clientOf(ctx, settings)
    const response = await oauth.userInfoRequest(provider, client, accessToken, requestOptions(ctx))
    if (response.headers.get("content-type")?.startsWith("application/jwt"))
      throw new Error("it is a JWT, which was not asked for")
    return oauth.processUserInfoResponse(provider, client, subject, response)
  })
}

/** Whether `at_hash`, if there is one, is of the access token: the left half of its hash (OpenID Connect Core 1.0, 3.1.3.6). */
async function fitsAccessToken(tokens: oauth.TokenEndpointResponse, atHash: unknown): Promise<boolean> {
  if (atHash === undefined) return true
  const { alg } = decodeProtectedHeader(tokens.id_token ?? "")
  const bits = alg?.startsWith("Ed") ? "512" : alg?.slice(-3)
  const digest = await crypto.subtle.digest(`SHA-${bits}`, new TextEncoder().encode(tokens.access_token))
  return atHash === Buffer.from(digest.slice(0, digest.byteLength / 2)).toString("base64url")
}
