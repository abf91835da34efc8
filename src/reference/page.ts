import { SAFE_HEADERS } from "../http/safe-headers.ts"
import type { Api } from "./apis.ts"
import { STYLE } from "./style.ts"

/** The viewer's settings: no services of Scalar's company, and only fonts of the reader's system. */
const VIEWER = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "direct",
  modelsSectionLabel: "Objects",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
}

/** The page may load and call what its own server has, and nothing else. The viewer writes its styles into the page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A browser sends the session's cookie by itself, and no script can set it: there is nothing to fill in. */
const NO_CREDENTIALS = ".scalar-reference-intro-auth{display:none!important}"

/**
 * The reference page of an API: its OpenAPI document, guides included, in Scalar's viewer at `scriptPath`. The viewer says itself when the
 * document does not come; when the viewer does not, the page says so after some seconds.
 */
export function referencePage({ surface, documentPath }: Api, scriptPath: string): string {
  const { title } = surface.info
  const style = "session" in surface.securitySchemes ? STYLE + NO_CREDENTIALS : STYLE
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} API</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header class="above"><a href="/">Turnpike</a><span>API reference</span></header>
<noscript><style>.unread{display:none}</style>This page needs JavaScript. All that it shows is in <a href="${documentPath}">the OpenAPI document</a>.</noscript>
<div class="unread"><h1>The reference could not be loaded</h1>
<p><a href="">Try again</a>. All that it shows is in <a href="${documentPath}">the OpenAPI document</a>, too.</p></div>
<script id="api-reference" data-url="${documentPath}" data-configuration="${attribute(VIEWER)}"></script>
<script src="${scriptPath}"></script>
</body>
</html>
`
}

const attribute = (value: unknown) => JSON.stringify(value).replaceAll("&", "&amp;").replaceAll('"', "&quot;")

const ALL_PATHS = `/*\n${Object.entries(SAFE_HEADERS)
  .map(([name, value]) => `  ${name}: ${value}`)
  .join("\n")}`

/** The `_headers` file of a worker's assets, after `forAll`, the rules of all its paths: https://developers.cloudflare.com/workers/static-assets/headers/ */
export function headersFile(pages: { pagePath: string; scriptPath: string }[], forAll = ALL_PATHS): string {
  const rules = pages.flatMap(({ pagePath, scriptPath }) => [
    // Instead of what the web app's rules say for all paths: two policies would both count.
    `${pagePath}\n  ! Content-Security-Policy\n  ! Referrer-Policy\n  Content-Security-Policy: ${POLICY}\n  Referrer-Policy: no-referrer`,
    // Its name changes with what is in it.
    `${scriptPath}\n  Cache-Control: public, max-age=31536000, immutable`,
  ])
  return `${[forAll, ...rules].join("\n")}\n`
}
