import type { Context as HonoContext } from "hono"
import { getCookie, setCookie } from "hono/cookie"
import type { Beginning } from "../sign-in/oidc-begin.ts"
import { TOKEN_POLICY } from "../sign-in/policies.ts"
import type { AppEnv } from "./app-env.ts"

/**
 * Each flow has its own cookie, so that two tabs do not overwrite each other's. `__Host-` prevents
 * sibling hosts from setting it. With Lax, the browser sends it when the provider redirects back.
 */
const ATTRIBUTES = { path: "/", httpOnly: true, secure: true, sameSite: "Lax" } as const

const isState = (state: string) => /^[A-Za-z0-9_-]{43}$/.test(state)
const cookieOf = (state: string) => `__Host-oauth-${state.slice(0, 16)}`

/** Redirects the browser to the provider, with the cookie that it must send back. */
export function sendAway(c: HonoContext<AppEnv>, { url, state, ticket }: Beginning): Response {
  setCookie(c, cookieOf(state), ticket, { ...ATTRIBUTES, maxAge: TOKEN_POLICY.oauth_state.ttlMs / 1000 })
  return c.redirect(url, 302)
}

/** Reads the browser's ticket and removes the cookie, since the flow ends here in any case. */
export function takeTicket(c: HonoContext<AppEnv>, state: string): string | undefined {
  const ticket = isState(state) ? getCookie(c, cookieOf(state)) : undefined
  if (ticket !== undefined) setCookie(c, cookieOf(state), "", { ...ATTRIBUTES, maxAge: 0 })
  return ticket
}
