import { createMiddleware } from "hono/factory"
import { html } from "hono/html"
import { ERROR_CODES, type ErrorCode, TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"
import { PLAIN_PAGE_HEADERS, plainPage, wantsPage } from "./plain-page.ts"

/** Titles of pages, in the words of a person who signs in. Every other code has "You are not signed in". */
const TITLES: Partial<Record<ErrorCode, string>> = {
  LOGIN_NOT_CONFIGURED: "This way to sign in is not set up",
  LOGIN_STATE_INVALID: "This sign-in has expired",
  LOGIN_DENIED: "The sign-in was cancelled",
  LOGIN_REFUSED: "This account cannot sign in this way",
  LOGIN_PROVIDER_FAILED: "The identity provider sent an invalid answer",
  LOGIN_PROVIDER_UNAVAILABLE: "The identity provider does not answer",
  LOGIN_THROTTLED: "Too many attempts",
  IDENTITY_TAKEN: "This identity belongs to another account",
}

/** A new start cannot help with these. */
const FINAL: string[] = [
  "LOGIN_NOT_CONFIGURED",
  "LOGIN_REFUSED",
  "IDENTITY_TAKEN",
  "CROSS_ORIGIN",
] satisfies ErrorCode[]

/**
 * Shows errors of the login flow as a page to browsers that accept HTML, with the same status. The
 * page loads nothing, and links to a new start and to the other ways to sign in. Other clients get the usual body.
 */
export const loginPages = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  c.header("Referrer-Policy", "no-referrer")
  if (!c.error || !wantsPage(c.req.header("accept"))) return
  const { error } = c
  const known = error instanceof TurnpikeError ? error : null
  const code = known?.code ?? "INTERNAL"
  const title = TITLES[code] ?? "You are not signed in"
  const again = startAgainOf(known)
  const other = again.startsWith("/api/account")
    ? ["/account", "Back to your account"]
    : ["/sign-in", "Sign in another way"]
  const page = await plainPage({
    title,
    body: html`<p>${known?.message ?? "Something went wrong on our side."}</p>
<p class="more">${ERROR_CODES[code].cure}</p>
<nav>${FINAL.includes(code) ? "" : html`<a href="${again}">Start again</a>`}<a href="${other[0]}">${other[1]}</a></nav>
<p class="more"><code>${code}</code> · request <code>${c.get("ctx").requestId}</code></p>`,
  })
  for (const [name, value] of Object.entries(PLAIN_PAGE_HEADERS)) c.header(name, value)
  c.res = new Response(page, { status: c.res.status, headers: { "content-type": PLAIN_PAGE_HEADERS["Content-Type"] } })
})

/** The path where a failed flow starts again. It is always one of ours, never one from the request. */
function startAgainOf(error: TurnpikeError | null): string {
  const details = error?.details as { start_again?: string } | undefined
  return details?.start_again ?? "/api/auth/oauth-login/start"
}
