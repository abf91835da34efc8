import type { ShownFrame } from "./answers.ts"

export const PORTAL_PATH = "/portal"

/** The path of a session's page. */
export const portalPath = (session: string) => `${PORTAL_PATH}/view/${session}`

/** The page's files. They have fixed names, so an open page finds them after a release. */
export const PORTAL_FILES = { script: `${PORTAL_PATH}/app.js`, style: `${PORTAL_PATH}/app.css` } as const

/**
 * The Content-Security-Policy of a page: its origins may frame it, and it loads nothing but its own files and the logo.
 * Null: the address is not ours, and no page may frame it.
 */
export function portalPolicy(frame: ShownFrame | null): string {
  const origins = frame?.origins ?? []
  const logo = frame?.logo ? ` ${new URL(frame.logo).origin}` : ""
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    `img-src 'self' data:${logo}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.length > 0 ? origins.join(" ") : "'none'"}`,
  ].join("; ")
}
