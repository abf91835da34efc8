import type { AuthEnv } from "../base/env.ts"
import { TurnpikeError } from "../base/errors.ts"

/** The identity provider of this installation, and who we are to it. */
export interface OidcSettings {
  /** Exactly as the provider spells it. */
  issuer: string
  clientId: string
  /** Undefined: a public client. */
  clientSecret: string | undefined
  /** Joined by blanks; `openid` is always one. */
  scope: string
}

const SCOPES = "openid email profile"

/** From the bindings. LOGIN_NOT_CONFIGURED without an issuer and a client id. */
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
