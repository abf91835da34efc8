import { createHash } from "node:crypto"
import plugin from "@scalar/fastify-api-reference"

interface Route {
  url: string
  handler(request: null, reply: { header(): unknown; send(body: string): void }): void
}

/**
 * Scalar's viewer as one script, with a name that changes with it. Of the packages that have it, the plugin for Fastify is the one
 * without 300 others; it gives it as one of its routes.
 */
export function readViewer(): { name: string; text: string } {
  const routes: Route[] = []
  const fastify = { hasPlugin: () => false, log: console, route: (route: Route) => routes.push(route) }
  const register = plugin as unknown as (fastify: object, options: object, done: () => void) => void
  register(fastify, { configuration: { url: "/" } }, () => {})
  let text = ""
  const reply = { header: () => reply, send: (body: string) => (text = body) }
  routes.find(({ url }) => url.endsWith(".js"))?.handler(null, reply)
  if (!text) throw new Error("@scalar/fastify-api-reference has no route with its script any more")
  return { name: `viewer-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.js`, text }
}
