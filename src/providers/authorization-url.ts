import * as oauth from "oauth4webapi"
import type { ProviderLogin } from "../base/provider-logins.ts"
import { required } from "./login-settings.ts"

/** The state of a login by code, kept until the login ends. */
export interface Authorization {
  url: string
  state: string
  verifier: string
  redirect_uri: string
}

/** Begins the authorisation code flow with PKCE (RFC 7636, S256) and a state. */
export async function beginLogin(login: ProviderLogin): Promise<Authorization> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const redirect_uri = required(login.redirect_uri)
  const url = new URL(required(login.authorization_endpoint))
  const parameters = {
    ...login.parameters,
    response_type: "code",
    client_id: login.client_id,
    redirect_uri,
    ...(login.scope && { scope: login.scope }),
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, state, verifier, redirect_uri }
}
