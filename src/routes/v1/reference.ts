import { ERROR_CODES } from "../../errors.ts"
import type { App } from "../../http/app.ts"
import { guidesOf } from "../../reference/guides.ts"
import { referencePage } from "../../reference/page.ts"
import { STYLE } from "../../reference/style.ts"
import { describeV1 } from "./document.ts"

/** /v1/openapi.json, and the same for people at /docs. */
export function mountReference(app: App) {
  const documentOf = once((origin) => describeV1(app, { origin }))
  const pageOf = once(async (origin) => {
    const codes = ERROR_CODES
    const page = { document: documentOf(origin), guides: guidesOf(origin), codes, documentPath: "/v1/openapi.json" }
    return { text: referencePage(page), policy: `default-src 'none'; style-src '${await hashOf(STYLE)}'; ${FRAMES}` }
  })

  app.get("/v1/openapi.json", (c) => c.json(documentOf(new URL(c.req.url).origin)))
  app.get("/docs", async (c) => {
    const { text, policy } = await pageOf(new URL(c.req.url).origin)
    return c.html(text, 200, {
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    })
  })
}

const FRAMES = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`
}

/** The operations do not change while a worker lives: what was made for an origin is kept, the newest one only. */
function once<T>(make: (origin: string) => T): (origin: string) => T {
  let known: { origin: string; made: T } | undefined
  return (origin) => {
    if (known?.origin !== origin) known = { origin, made: make(origin) }
    return known.made
  }
}
