import { createHash } from "node:crypto"
import { createMiddleware } from "hono/factory"
import { html, raw } from "hono/html"
import { ERROR_CODES, type ErrorCode, TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"

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

/** The colours of the web app (`dashboard/src/app/styles.css`). The page loads no file, so it works in any failure. */
const STYLE = `:root{color-scheme:light dark}
body{margin:0;background:light-dark(#fff,#0f1114);color:light-dark(#16191d,#e8eaed);font:14px/22px "Inter Variable",ui-sans-serif,system-ui,sans-serif}
header{padding:16px;font-weight:600}header a{color:inherit;text-decoration:none}
main{max-width:400px;margin:8vh auto 0;padding:0 16px}
h1{font-size:20px;line-height:28px;font-weight:600;margin:0 0 8px}
p{margin:0 0 12px}.more{color:light-dark(#565f69,#a0a8b1)}
nav{display:flex;flex-wrap:wrap;gap:8px;margin:20px 0}
nav a{padding:6px 14px;border:1px solid light-dark(#868e98,#6b747e);border-radius:6px;color:inherit;text-decoration:none}
nav a:first-child{background:light-dark(#3d4ed8,#9db0ff);border-color:light-dark(#3d4ed8,#9db0ff);color:light-dark(#fff,#0f1114)}
code{font:12px ui-monospace,Menlo,monospace;overflow-wrap:anywhere}`

const POLICY =
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Shows errors of the login flow as a page to browsers that accept HTML, with the same status. The
 * page loads nothing, and links to a new start and to the other ways to sign in. Other clients get the usual body.
 */
export const loginPages = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  c.header("Referrer-Policy", "no-referrer")
  if (!c.error || !c.req.header("accept")?.includes("text/html")) return
  const { error } = c
  const known = error instanceof TurnpikeError ? error : null
  const code = known?.code ?? "INTERNAL"
  const title = TITLES[code] ?? "You are not signed in"
  const again = startAgainOf(known)
  const other = again.startsWith("/api/account")
    ? ["/account", "Back to your account"]
    : ["/sign-in", "Sign in another way"]
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Turnpike</title><style>${raw(STYLE)}</style></head>
<body>
<header><a href="/">Turnpike</a></header>
<main>
<h1>${title}</h1>
<p>${known?.message ?? "Something went wrong on our side."}</p>
<p class="more">${ERROR_CODES[code].cure}</p>
<nav>${FINAL.includes(code) ? "" : html`<a href="${again}">Start again</a>`}<a href="${other[0]}">${other[1]}</a></nav>
<p class="more"><code>${code}</code> · request <code>${c.get("ctx").requestId}</code></p>
</main>
</body>
</html>
`
  c.header("Content-Security-Policy", POLICY)
  c.header("X-Content-Type-Options", "nosniff")
  c.res = new Response(String(await page), {
    status: c.res.status,
    headers: { "content-type": "text/html; charset=utf-8" },
  })
})

/** The path where a failed flow starts again. It is always one of ours, never one from the request. */
function startAgainOf(error: TurnpikeError | null): string {
  const details = error?.details as { start_again?: string } | undefined
  return details?.start_again ?? "/api/auth/oauth-login/start"
}
