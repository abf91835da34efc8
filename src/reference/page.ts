import { SAFE_HEADERS } from "../http/safe-headers.ts"
import type { Api } from "./apis.ts"
import { escaped } from "./markdown.ts"
import { STYLE } from "./style.ts"

/** Settings of the viewer: it calls none of Scalar's services and uses only fonts of the reader's system. */
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

const FRAMES = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The pages of the reference may load and call only their own server, without inline scripts and styles. */
const POLICY = `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self'; ${FRAMES}`

/** The viewer writes its styles into the page. */
const VIEWER_POLICY = `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; ${FRAMES}`

/** Hides the form for credentials: the browser sends the session cookie, and no script could set it. */
const NO_CREDENTIALS = ".scalar-reference-intro-auth{display:none!important}"

/**
 * The page on which a reader tries an API: its OpenAPI document in Scalar's viewer at `scriptPath`. The viewer reports
 * a document that fails to load. If the viewer itself fails to load, the page says so after six seconds.
 */
export function viewerPage({ surface, documentPath, pagePath }: Api, scriptPath: string): string {
  const { title } = surface.info
  const style = "session" in surface.securitySchemes ? STYLE + NO_CREDENTIALS : STYLE
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Try the API · ${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<nav class="above" aria-label="Above"><a href="${pagePath}">Docs</a><span>Try the API</span></nav>
<noscript><style>.unread{display:none}</style>This page needs JavaScript. You can read <a href="${pagePath}">the docs</a> or <a href="${documentPath}">the OpenAPI document</a> instead.</noscript>
<div class="unread"><h1>The reference could not be loaded</h1>
<p><a href="">Try again</a>. You can also read <a href="${documentPath}">the OpenAPI document</a>.</p></div>
<script id="api-reference" data-url="${documentPath}" data-configuration="${escaped(JSON.stringify(VIEWER))}"></script>
<script src="${scriptPath}"></script>
</body>
</html>
`
}

const ALL_PATHS = `/*\n${Object.entries(SAFE_HEADERS)
  .map(([name, value]) => `  ${name}: ${value}`)
  .join("\n")}`

/** `!` removes the web app's policy for all paths. Otherwise the browser would apply both policies. */
const policyOf = (path: string, policy: string) =>
  `${path}\n  ! Content-Security-Policy\n  ! Referrer-Policy\n  Content-Security-Policy: ${policy}\n  Referrer-Policy: no-referrer`

/**
 * The `_headers` file of a worker's assets. It starts with `forAll`, the rules for all paths. `pagePaths` are the first
 * pages of the reference, and `kept` are files whose names change with their content. For its format, see
 * https://developers.cloudflare.com/workers/static-assets/headers/
 */
export function headersFile({ pagePaths, kept }: { pagePaths: string[]; kept: string[] }, forAll = ALL_PATHS): string {
  const rules = [
    ...pagePaths.flatMap((path) => [
      policyOf(path, POLICY),
      policyOf(`${path}/*`, POLICY),
      policyOf(`${path}/try`, VIEWER_POLICY),
    ]),
    ...kept.map((path) => `${path}\n  Cache-Control: public, max-age=31536000, immutable`),
  ]
  return `${[forAll, ...rules].join("\n")}\n`
}
