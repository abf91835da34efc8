import type { Context as HonoContext } from "hono"
import { parseAuthEnv, parseBaseEnv } from "../../base/env.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { createRedis } from "../../platform/redis.ts"
import type { AuthContext } from "../../sign-in/auth-context.ts"
import { type OidcSettings, oidcSettings } from "../../sign-in/oidc-provider.ts"

/** The context of sign-in verbs: the invocation's context with Redis. */
export function authContext(c: HonoContext<AppEnv>): AuthContext {
  const ctx = c.get("ctx")
  return { ...ctx, redis: createRedis(parseBaseEnv(c.env), ctx.meter) }
}

/** The configuration of the identity provider. Throws LOGIN_NOT_CONFIGURED. */
export const oidcOf = (c: HonoContext<AppEnv>): OidcSettings => oidcSettings(parseAuthEnv(c.env))
