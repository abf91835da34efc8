import * as oauth from "oauth4webapi"
import type { AuthContext } from "./auth-context.ts"
import { discover, type OidcSettings, type Provider } from "./oidc-provider.ts"
import { mintToken } from "./one-time-token.ts"
import { safeNext } from "./safe-next.ts"

/** The path to which providers redirect browsers, for every flow. */
export const CALLBACK_PATH = "/api/auth/oauth-login/callback"

/** The state in Redis while a browser is at the provider (OAuth state, docs/contract.md). */
export interface OauthState {
  /** The account that gets the identity; null if the flow signs a user in. */
  user_id: number | null
  /** The path where the flow ends; null for the brand's landing page. */
  redirect_to: string | null
  redirect_uri: string
  client_id: string
  nonce: string
  code_verifier: string
  /** The provider's metadata when the flow started. The response is checked against it. */
  provider: Provider
}

export interface Beginning {
  /** The URL of the provider's page. */
  url: string
  state: string
  /** The browser's ticket. The URL contains only its hash, so the URL alone cannot complete the flow. */
  ticket: string
}

export const BEGIN_AUTHORIZATION_ERRORS = ["LOGIN_PROVIDER_FAILED", "LOGIN_PROVIDER_UNAVAILABLE"] as const

/**
 * Starts the authorization code flow with PKCE (RFC 7636, S256) and a nonce (OpenID Connect Core
 * 1.0, section 3.1). An unsafe `next` is ignored. Throws LOGIN_PROVIDER_UNAVAILABLE,
 * LOGIN_PROVIDER_FAILED, or UNAVAILABLE without Redis.
 */
export async function beginAuthorization(
  ctx: AuthContext,
  settings: OidcSettings,
  { origin, next, userId }: { origin: string; next: string; userId: number | null },
): Promise<Beginning> {
  const provider = await discover(ctx, settings)
  const flow: OauthState = {
    user_id: userId,
    redirect_to: safeNext(next, origin),
    redirect_uri: origin + CALLBACK_PATH,
    client_id: settings.clientId,
    nonce: oauth.generateRandomNonce(),
    code_verifier: oauth.generateRandomCodeVerifier(),
    provider,
  }
  const { token: ticket } = await mintToken(ctx, "oauth_state", flow)
  const state = await stateOf(ticket)
  const url = new URL(provider.authorization_endpoint)
  const parameters = {
    response_type: "code",
    client_id: settings.clientId,
    redirect_uri: flow.redirect_uri,
    scope: settings.scope,
    state,
    nonce: flow.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(flow.code_verifier),
    code_challenge_method: "S256",
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, state, ticket }
}

/** The state that belongs to a browser's ticket: 256 bits in base64url. */
export const stateOf = (ticket: string) => oauth.calculatePKCECodeChallenge(`turnpike oauth state ${ticket}`)
