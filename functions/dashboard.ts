import { notFoundPage, PLAIN_PAGE_HEADERS, wantsPage } from "../src/http/plain-page.ts"
import { isInsecure, redirectToHttps } from "../src/http/secure-scheme.ts"
import { answerWellKnown } from "../src/http/well-known.ts"

/** Paths of other workers, which a missing route could send here. */
const OTHERS = /^\/(v1|api|callbacks|docs|portal)(\/|$)/

interface Bindings {
  ASSETS: Fetcher
}

/** The web app is static files. The worker sees every request for a page, to answer http with a redirect. */
export default {
  async fetch(request, { ASSETS }) {
    if (isInsecure(request.url)) return redirectToHttps(request.url)
    const known = answerWellKnown(request.url)
    if (known) return known
    const { pathname } = new URL(request.url)
    if (!OTHERS.test(pathname)) {
      const file = await ASSETS.fetch(request)
      if (file.status !== 404 || !wantsPage(request.headers.get("accept"))) return file
      return new Response(await notFoundPage(pathname), { status: 404, headers: PLAIN_PAGE_HEADERS })
    }
    return Response.json({ detail: "This host serves the web app only.", code: "NOT_FOUND" }, { status: 404 })
  },
} satisfies ExportedHandler<Bindings>
