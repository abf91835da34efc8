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
    if (!OTHERS.test(new URL(request.url).pathname)) return ASSETS.fetch(request)
    return Response.json({ detail: "This host serves the web app only.", code: "NOT_FOUND" }, { status: 404 })
  },
} satisfies ExportedHandler<Bindings>
