import { DAY_MS } from "../base/time.ts"
import { systemClock } from "../platform/clock.ts"

/** How long a reader may trust the contact. RFC 9116 recommends less than a year. */
const EXPIRES_DAYS = 180

/** Readers may keep both files for a day. */
export const WELL_KNOWN_CACHE = "public, max-age=86400"

export const WELL_KNOWN_PATHS = ["/robots.txt", "/.well-known/security.txt"] as const

/** Crawlers find the documentation and the page of sign-in. Everything else needs a key or a session (RFC 9309). */
const ROBOTS = `User-agent: *
Allow: /api/docs
Disallow: /api/
Disallow: /v1/
Disallow: /callbacks/
Disallow: /portal/
`

interface WellKnown {
  url: string
  now: Date
  /** The operator's contact as a URI: `mailto:`, `https:` or `tel:`. */
  contact: string | undefined
}

/**
 * The text of `/robots.txt` (RFC 9309) or `/.well-known/security.txt` (RFC 9116); null for every other path. The
 * default contact is the mailbox `security` of the host (RFC 2142, section 4).
 */
export function wellKnownText({ url, now, contact }: WellKnown): string | null {
  const { pathname, origin, hostname } = new URL(url)
  if (pathname === "/robots.txt") return ROBOTS
  if (pathname !== "/.well-known/security.txt") return null
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + EXPIRES_DAYS) * DAY_MS)
  return `Contact: ${contact ?? `mailto:security@${hostname}`}
Expires: ${expires.toISOString().replace(".000", "")}
Preferred-Languages: en
Canonical: ${origin}${pathname}
`
}

/** The same file for a worker without a context; null for every other path. */
export function answerWellKnown(url: string): Response | null {
  const text = wellKnownText({ url, now: systemClock.now(), contact: undefined })
  return text === null ? null : new Response(text, { headers: { "cache-control": WELL_KNOWN_CACHE } })
}
