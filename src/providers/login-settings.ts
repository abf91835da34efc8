import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { LoginPool, ProviderLogin } from "../base/provider-logins.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { checkPublicUrl, type UrlPolicy } from "../platform/public-url.ts"

const URLS = [
  "base_url",
  "authorization_endpoint",
  "device_authorization_endpoint",
  "device_token_endpoint",
  "token_endpoint",
] as const

/** The operator configures these URLs. They may lead into a private network, but not to our own service. */
export const operatorsPolicy = ({ urlPolicy }: Pick<Context, "urlPolicy">): UrlPolicy => ({
  ...urlPolicy,
  operators: true,
})

/**
 * The login settings of a pool. Throws LOGIN_NOT_CONFIGURED if they are missing or have
 * a URL that must not be called.
 */
export function loginOf(ctx: Context, pool: LoginPool): ProviderLogin {
  const login = ctx.providerLogins[pool]
  if (!login) {
    throw new TurnpikeError("LOGIN_NOT_CONFIGURED", `PROVIDER_LOGINS has no settings for the pool ${pool}.`)
  }
  for (const name of URLS) {
    const fault = login[name] === undefined ? null : faultOf(ctx, login[name])
    if (fault) throw new TurnpikeError("LOGIN_NOT_CONFIGURED", `PROVIDER_LOGINS, ${pool}, ${name}: ${fault}`)
  }
  return login
}

function faultOf(ctx: Context, url: string): string | null {
  try {
    checkPublicUrl(url, operatorsPolicy(ctx))
    return null
  } catch (error) {
    if (error instanceof OutboundError) return error.message
    throw error
  }
}

/** A URL that the schema of PROVIDER_LOGINS requires for this pool. */
export function required(url: string | undefined): string {
  if (url === undefined) throw new Error("the schema of PROVIDER_LOGINS requires it")
  return url
}
