import * as oauth from "oauth4webapi"
import type { AuthContext } from "./auth-context.ts"
import { discover, type OidcSettings, type Provider } from "./oidc-provider.ts"
import { mintToken } from "./one-time-token.ts"
import { safeNext } from "./safe-next.ts"

/** Where providers send browsers back to, for every flow. */
export const CALLBACK_PATH = "/api/auth/oauth-login/callback"

/** The state in Redis while a browser is at the provider (OAuth state, docs/contract.md). */
export interface OauthState {
  /** The account that gets the identity; null: the flow signs somebody in. */
  user_id: number | null
  /** The path of ours where it ends; null: the brand's landing page. */
  redirect_to: string | null
  redirect_uri: string
  client_id: string
  nonce: string
  code_verifier: string
  /** The provider's metadata when the flow began; its answer is checked against it. */
  provider: Provider
}

export interface Beginning {
  /** The provider's page. */
  url: string
  state: string
  /** The browser's ticket. The state in the URL is only its hash, so a URL alone does not open the way back. */
  ticket: string
}

/**
 * Begins the authorization code flow with PKCE (RFC 7636, S256) and a nonce (OpenID Connect Core 1.0, section 3.1). A `next` that
 * is no path of this origin counts as none. LOGIN_PROVIDER_UNAVAILABLE, LOGIN_PROVIDER_FAILED, UNAVAILABLE without Redis.
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

/** The state of a browser's ticket: 256 bits in base64url. */
export const stateOf = (ticket: string) => oauth.calculatePKCECodeChallenge(`turnpike oauth state ${ticket}`)
