import { createMiddleware } from "hono/factory"
import { html } from "hono/html"
import { TurnpikeError } from "../base/errors.ts"
import type { AppEnv } from "./app-env.ts"

/**
 * Shows errors of the login flow as a page to browsers that accept HTML, with the same status. The
 * page loads nothing and links only to a new start. Other clients get the usual body.
 */
export const loginPages = createMiddleware<AppEnv>(async (c, next) => {
  await next()
  c.header("Referrer-Policy", "no-referrer")
  if (!c.error || !c.req.header("accept")?.includes("text/html")) return
  const { error } = c
  const known = error instanceof TurnpikeError ? error : null
  const title = "You are not signed in"
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body>
<h1>${title}</h1>
<p>${known?.message ?? "Something went wrong on our side."}</p>
<p><a href="${startAgainOf(known)}">Start again</a></p>
<p><small>${known?.code ?? "INTERNAL"}, request ${c.get("ctx").requestId}</small></p>
</body>
</html>
`
  c.header("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
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
