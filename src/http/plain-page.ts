import { createHash } from "node:crypto"
import { html, raw } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"

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

/** Headers of a plain page: it may load nothing, and no page may frame it. */
export const PLAIN_PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
}

/** True if the client asks for HTML by name, as browsers do when a person opens an address. */
export const wantsPage = (accept: string | null | undefined): boolean => accept?.includes("text/html") ?? false

type Markup = HtmlEscapedString | Promise<HtmlEscapedString>

/** A page of one message, without scripts and files. `body` follows the title. */
export async function plainPage({ title, body }: { title: string; body: Markup }): Promise<string> {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Turnpike</title><style>${raw(STYLE)}</style></head>
<body>
<header><a href="/">Turnpike</a></header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return String(await page)
}

/** The page at an address where there is nothing, for a person who followed an old link or mistyped it. */
export const notFoundPage = (path: string): Promise<string> =>
  plainPage({
    title: "There is no such page",
    body: html`<p>Nothing is at <code>${path}</code>. The address may be mistyped, or the page has moved.</p>
<nav><a href="/">Go to the start page</a><a href="/docs">Read the documentation</a></nav>
<p class="more">Requests of programs go to addresses below <code>/v1</code>.</p>`,
  })
