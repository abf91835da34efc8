/**
 * On every answer of every worker, its static files too: a browser takes no body for another type, comes back over TLS only, and lets no
 * page of another origin load it.
 */
export const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=31536000",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const
