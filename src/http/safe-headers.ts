/** On every answer of every worker, its static files too: a browser takes no body for another type, and comes back over TLS only. */
export const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=31536000",
} as const
