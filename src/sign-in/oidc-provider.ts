import * as oauth from "oauth4webapi"
import type { AuthEnv } from "../base/env.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import { secondsAhead } from "../platform/clock.ts"
import { createOauthFetch, presentFields } from "../platform/oauth-fetch.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { checkPublicUrl, type UrlPolicy } from "../platform/public-url.ts"
import type { AuthContext } from "./auth-context.ts"
import { OIDC_POLICY } from "./policies.ts"

/** The identity provider of this installation, and our client registration there. */
export interface OidcSettings {
  /** Exactly as the provider spells it. */
  issuer: string
  clientId: string
  /** Undefined for a public client. */
  clientSecret: string | undefined
  /** Separated by spaces; always contains `openid`. */
  scope: string
}

const SCOPES = "openid email profile"

/** Reads the settings from the bindings. Throws LOGIN_NOT_CONFIGURED without an issuer or a client id. */
export function oidcSettings(env: Pick<AuthEnv, `OIDC_${string}` & keyof AuthEnv>): OidcSettings {
  if (!env.OIDC_ISSUER || !env.OIDC_CLIENT_ID) {
    throw new TurnpikeError("LOGIN_NOT_CONFIGURED", "No identity provider is set up here.")
  }
  const wanted = (env.OIDC_SCOPES ?? SCOPES).split(/[\s,]+/).filter((scope) => scope !== "")
  return {
    issuer: env.OIDC_ISSUER,
    clientId: env.OIDC_CLIENT_ID,
    clientSecret: env.OIDC_CLIENT_SECRET,
    scope: [...new Set(["openid", ...wanted])].join(" "),
  }
}

/** The parts of a provider's metadata that we need (OpenID Connect Discovery 1.0, section 3). */
export type Provider = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  userinfo_endpoint?: string
  id_token_signing_alg_values_supported: string[]
  token_endpoint_auth_methods_supported?: string[]
  authorization_response_iss_parameter_supported?: boolean
}

/** Asymmetric algorithms, with which only the provider can sign. `none` and HMAC algorithms are excluded. */
const ALGORITHMS = /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519)$/

/**
 * The guarded fetch; it reads the whole response. A timeout or a provider's fault throws LOGIN_PROVIDER_UNAVAILABLE.
 */
export function providerFetch(ctx: AuthContext) {
  const { timeoutMs, maxBytes } = OIDC_POLICY
  const send = createOauthFetch(ctx, { policy: providerPolicy(ctx), timeoutMs, maxBytes })
  return async (url: string, options: oauth.CustomFetchOptions<string, unknown>): Promise<Response> => {
    try {
      const response = await send(url, options)
      const text = await response.text()
      if (response.status >= 500 || response.status === 429) throw unavailable(new Error(`status ${response.status}`))
      return new Response(presentFields(text), { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof OutboundError && (error.kind === "timeout" || error.kind === "network"))
        throw unavailable(error)
      throw error
    }
  }
}

/**
 * An operator configures the provider, so it may be at one of our own hosts. All other rules for
 * owners' URLs apply.
 */
const providerPolicy = ({ urlPolicy }: AuthContext): UrlPolicy => ({
  allowLoopback: urlPolicy.allowLoopback,
  ownHosts: [],
})

/** Options of requests to a provider. Our own guard decides which URLs may use http. */
export const requestOptions = (ctx: AuthContext) => ({
  [oauth.customFetch]: providerFetch(ctx),
  [oauth.allowInsecureRequests]: true,
})

/** Our client, with the context's clock. */
export const clientOf = (ctx: AuthContext, settings: OidcSettings): oauth.Client => ({
  client_id: settings.clientId,
  [oauth.clockSkew]: secondsAhead(ctx.clock),
  [oauth.clockTolerance]: OIDC_POLICY.toleranceSeconds,
})

/** The cached result of discovery: the provider, or the error. */
type Discovered = { until: number } & ({ provider: Provider } | { failed: { code: ErrorCode; message: string } })

/**
 * Discovers an issuer's provider. Redis caches it for some minutes, and a failure for seconds, so
 * that a failing provider is not called for each login. Throws LOGIN_PROVIDER_UNAVAILABLE, or
 * LOGIN_PROVIDER_FAILED for invalid metadata.
 */
export async function discover(ctx: AuthContext, { issuer }: OidcSettings): Promise<Provider> {
  const key = `oidc:provider:${issuer}`
  const now = ctx.clock.now().getTime()
  const text = await ctx.redis.get(key)
  const { metadataMs, retryAfterSeconds } = OIDC_POLICY
  const known = text === null ? null : (JSON.parse(text) as Discovered)
  const left = known ? known.until - now : 0
  if (known && left > 0) {
    if ("provider" in known) return known.provider
    const { code, message } = known.failed
    // A longer time left means that our clock was set back in the meantime.
    if (left <= retryAfterSeconds * 1000) throw new TurnpikeError(code, message, { retryAfter: Math.ceil(left / 1000) })
  }
  const keep = (found: Discovered) => ctx.redis.set(key, JSON.stringify(found), { ttlMs: found.until - now })
  try {
    const provider = await providerErrors("discovery", async () => {
      const url = new URL(issuer)
      const response = await oauth.discoveryRequest(url, requestOptions(ctx))
      return checked(ctx, issuer, await oauth.processDiscoveryResponse(url, response))
    })
    await keep({ provider, until: now + metadataMs })
    return provider
  } catch (error) {
    if (error instanceof TurnpikeError && error.code.startsWith("LOGIN_PROVIDER_")) {
      const { code, message } = error
      await keep({ failed: { code, message }, until: ctx.clock.now().getTime() + retryAfterSeconds * 1000 }).catch(
        () => {},
      )
    }
    throw error
  }
}

function checked(ctx: AuthContext, issuer: string, said: oauth.AuthorizationServer): Provider {
  if (said.issuer !== issuer) throw new Error("the metadata names another issuer, or spells it differently")
  const endpoint = (name: "authorization_endpoint" | "token_endpoint" | "jwks_uri" | "userinfo_endpoint") => {
    const value = said[name]
    if (typeof value !== "string") throw new Error(`the metadata has no ${name}`)
    return checkPublicUrl(value, providerPolicy(ctx)).href
  }
  const algorithms = texts(said.id_token_signing_alg_values_supported, ["RS256"]).filter((one) => ALGORITHMS.test(one))
  if (algorithms.length === 0) throw new Error("the provider signs with no algorithm that we trust")
  return {
    issuer,
    authorization_endpoint: endpoint("authorization_endpoint"),
    token_endpoint: endpoint("token_endpoint"),
    jwks_uri: endpoint("jwks_uri"),
    ...(said.userinfo_endpoint !== undefined && { userinfo_endpoint: endpoint("userinfo_endpoint") }),
    id_token_signing_alg_values_supported: algorithms,
    token_endpoint_auth_methods_supported: texts(said.token_endpoint_auth_methods_supported, ["client_secret_basic"]),
    authorization_response_iss_parameter_supported: said.authorization_response_iss_parameter_supported === true,
  }
}

const texts = (value: unknown, otherwise: string[]): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : otherwise

/**
 * Chooses the client authentication at the token endpoint: in the header, unless the provider supports only the body.
 */
export function authenticationOf(provider: Provider, { clientSecret }: OidcSettings): oauth.ClientAuth {
  if (clientSecret === undefined) return oauth.None()
  const methods = provider.token_endpoint_auth_methods_supported ?? []
  const byPost = methods.includes("client_secret_post") && !methods.includes("client_secret_basic")
  return byPost ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret)
}

/**
 * Runs a step with a provider. Faults throw LOGIN_PROVIDER_FAILED. The cause names only the step
 * and the reason: the library's error also has responses, claims and tokens.
 */
export async function providerErrors<T>(step: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const known = causedBy(error)
    if (known) throw known
    const why = new Error(`${step}: ${error instanceof Error ? error.message : "unknown"}`)
    const message = "The identity provider sent an invalid response. You were not signed in."
    throw new TurnpikeError("LOGIN_PROVIDER_FAILED", message, { cause: why })
  }
}

/** Finds an error of ours in the chain of causes. */
function causedBy(error: unknown): TurnpikeError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof TurnpikeError) return cause
  return null
}

function unavailable(cause: Error): TurnpikeError {
  return new TurnpikeError(
    "LOGIN_PROVIDER_UNAVAILABLE",
    "The identity provider does not answer. Start again shortly.",
    {
      retryAfter: OIDC_POLICY.retryAfterSeconds,
      cause: new Error(cause.message),
    },
  )
}
