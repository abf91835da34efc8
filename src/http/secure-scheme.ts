import type { Context as HonoContext } from "hono"
import { TurnpikeError } from "../base/errors.ts"
import { isLoopbackName } from "../base/network.ts"
import { answerError } from "./api-errors.ts"
import type { AppEnv } from "./app-env.ts"
import { hasKey } from "./key-header.ts"

/** Paths that programs call. All other paths are pages. */
export const API_PATHS = /^\/(v1|api|callbacks)(\/|$)/

/** True if anyone on the way of a request to this address can read it. */
export function isInsecure(address: string): boolean {
  return address.startsWith("http:") && !isLoopbackName(new URL(address).hostname)
}

/** The redirect of a page to https. 308 keeps the method, and a browser remembers it. */
export function redirectToHttps(address: string): Response {
  const url = new URL(address)
  url.protocol = "https:"
  return new Response(null, { status: 308, headers: { Location: url.href } })
}

/**
 * Answers a request over http, whose content anyone on its way can read: a page redirects to https, and an API call is
 * refused, since a redirect would hide that its key is no longer secret.
 */
export function answerInsecure(c: HonoContext<AppEnv>): Response {
  if (!API_PATHS.test(c.req.path)) return redirectToHttps(c.req.url)
  const key = hasKey(c.req) ? " Its API key has travelled in clear text: revoke it and create another one." : ""
  return answerError(new TurnpikeError("HTTPS_REQUIRED", `This request came over http. Use https.${key}`), c)
}
