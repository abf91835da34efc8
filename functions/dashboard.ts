/**
 * The web app is static files. This handler answers only paths that are neither a page nor a route of another
 * worker.
 */
export default {
  fetch: () => Response.json({ detail: "This host serves the web app only.", code: "NOT_FOUND" }, { status: 404 }),
} satisfies ExportedHandler
