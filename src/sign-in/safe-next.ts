const MAX_LENGTH = 2048

/**
 * The path, query and fragment in `next` where a login may end. Null if browsers, routers or proxies
 * could read it as another origin, or if it is below /api/auth and would start another login.
 */
export function safeNext(next: string | null | undefined, origin: string): string | null {
  if (!next?.startsWith("/") || next.length > MAX_LENGTH || !harmless(next)) return null
  const url = URL.parse(next, origin)
  if (url === null || url.origin !== origin || url.username !== "" || url.password !== "") return null
  const path = fullyDecoded(url.pathname)
  if (path === null || hasControls(path) || FOREIGN.test(path) || /^\/api\/auth(\/|$)/i.test(path)) return null
  return url.pathname + url.search + url.hash
}

/** Browsers remove control characters. */
const hasControls = (text: string) => [...text].some((char) => char < " " || (char >= "\x7f" && char <= "\x9f"))

/** Browsers read a backslash as a slash. */
const harmless = (text: string) => !text.includes("\\") && !hasControls(text)

/**
 * A prefix that a parser less strict than URL would read as another host or a scheme. Later segments are only a path.
 */
const FOREIGN = /^\/[/.;]|^\/[^/]*[@:\\\u2044\u2215\u2571\u27cb\u29f8\u2afb\u2afd]/

/** Decodes until nothing changes, and normalises look-alikes of `/` and `:`. Null if more rounds are needed. */
function fullyDecoded(path: string): string | null {
  let text = path
  for (let round = 0; round < 5; round++) {
    let decoded: string
    try {
      decoded = decodeURIComponent(text).normalize("NFKC")
    } catch {
      // After the first round, a percent sign that does not decode is text that was encoded.
      return round === 0 ? null : text
    }
    if (decoded === text) return text
    text = decoded
  }
  return null
}
