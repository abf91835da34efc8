import type { Context as HonoContext } from "hono"
import { createMiddleware } from "hono/factory"
import { TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"

/** Methods that do not change data (RFC 9110 section 9.2.1). */
export const SAFE = new Set(["GET", "HEAD", "OPTIONS"])

/**
 * Only pages of our own origin may change data with a user's cookie (docs/architecture/sign-in.md).
 * Sec-Fetch-Site decides, since pages cannot set it. A client without it must send our origin in Origin.
 */
export const sameOrigin = createMiddleware<AppEnv>(async (c, next) => {
  if (!SAFE.has(c.req.method) && !fromOwnPage(c)) {
    throw new TurnpikeError("CROSS_ORIGIN", "This request does not come from a page of this origin.")
  }
  await next()
})

/** True if a request comes from a page of our own origin. */
export function fromOwnPage(c: HonoContext<AppEnv>): boolean {
  const site = c.req.header("sec-fetch-site")
  return site === undefined ? c.req.header("origin") === new URL(c.req.url).origin : site === "same-origin"
}
