/**
 * Headers of every response, static files included. They prevent MIME sniffing, require TLS, and
 * stop pages of other origins from loading it.
 */
export const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=31536000",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const
