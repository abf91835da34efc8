import { ERROR_CODES } from "../base/errors.ts"
import type { ApiDocument } from "../reference/document.ts"
import { type Guide, referencePage } from "../reference/page.ts"
import { STYLE } from "../reference/style.ts"
import type { App } from "./app.ts"

interface ReferenceOptions<Document extends ApiDocument> {
  /** Where the OpenAPI document is, and where the page made of it. */
  documentPath: string
  pagePath: string
  describe(origin: string): Document
  guidesOf(origin: string): Guide[]
  aboutErrors: string
}

/** Serves an OpenAPI document, and the same for people as a page that may load nothing. Neither asks who reads. */
export function serveReference<Document extends ApiDocument>(
  app: App,
  { documentPath, pagePath, describe, guidesOf, aboutErrors }: ReferenceOptions<Document>,
): void {
  const documentOf = newestOf(describe)
  const pageOf = newestOf(async (origin) => {
    const page = {
      document: documentOf(origin),
      guides: guidesOf(origin),
      codes: ERROR_CODES,
      documentPath,
      aboutErrors,
    }
    return { text: referencePage(page), policy: `default-src 'none'; style-src '${await hashOf(STYLE)}'; ${FRAMES}` }
  })

  app.page(documentPath, (c) => c.json(documentOf(new URL(c.req.url).origin)))
  app.page(pagePath, async (c) => {
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
function newestOf<T>(make: (origin: string) => T): (origin: string) => T {
  let known: { origin: string; made: T } | undefined
  return (origin) => {
    if (known?.origin !== origin) known = { origin, made: make(origin) }
    return known.made
  }
}
