import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { TurnpikeError } from "../base/errors.ts"
import { isResultToken } from "../tools/result-token.ts"
import type { AppEnv } from "./app-env.ts"
import { keyAuth } from "./key-auth.ts"

const TOKEN = /^bearer +(crt_\w+)$/i
const PATH = /^\/v1\/turns\/([^/]+)\/calls\/([^/]+)\/result$/

/**
 * Authenticates by API key. A call's result may come with the token of the call instead, which is checked before the
 * body is read.
 */
export const keyOrResultToken = createMiddleware<AppEnv>(async (c, next) => {
  const token = resultTokenOf(c)
  if (token === null) return keyAuth(c, next)
  const [, turn, call] = PATH.exec(c.req.path) ?? []
  if (!(await isResultToken(c.get("ctx"), token, `${turn}.${call}`))) {
    throw new TurnpikeError("INVALID_API_KEY", "The token is not the token of this call.")
  }
  return next()
})

/** The token of the call that has authenticated the request, or null. */
export function resultTokenOf(c: HonoContext<AppEnv>): string | null {
  if (!PATH.test(c.req.path)) return null
  return TOKEN.exec(c.req.header("authorization")?.trim() ?? "")?.[1] ?? null
}
