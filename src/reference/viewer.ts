import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import plugin from "@scalar/fastify-api-reference"
import { undeclared } from "../base/casts.ts"

interface Route {
  url: string
  handler(request: null, reply: { header(): unknown; send(body: string): void }): void
}

/**
 * Scalar's viewer as one script with our corrections. Its name changes with its content. We take it from the Fastify
 * plugin, the only package of the viewer without 300 dependencies, which serves the script as one of its routes.
 */
export function readViewer(): { name: string; text: string } {
  const routes: Route[] = []
  const fastify = { hasPlugin: () => false, log: console, route: (route: Route) => routes.push(route) }
  const register = undeclared<(fastify: object, options: object, done: () => void) => void>(plugin)
  register(fastify, { configuration: { url: "/" } }, () => {})
  let viewer = ""
  const reply = { header: () => reply, send: (body: string) => (viewer = body) }
  routes.find(({ url }) => url.endsWith(".js"))?.handler(null, reply)
  if (!viewer) throw new Error("@scalar/fastify-api-reference no longer has a route that serves the script")
  const own = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8")
  // We do not serve the source map, so the reference to it is removed.
  const text = [
    own("theme.js"),
    own("viewer-values.js"),
    viewer.replace(/\/\/# sourceMappingURL=.*/, ""),
    own("mend.js"),
  ].join("\n")
  return { name: `viewer-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.js`, text }
}
