/** The web app is static files. Here comes only what a route of another worker should have taken, and what is no page of it. */
export default {
  fetch: () => Response.json({ detail: "This host serves the web app only.", code: "NOT_FOUND" }, { status: 404 }),
} satisfies ExportedHandler
