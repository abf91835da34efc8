const MAX_LENGTH = 2048

/**
 * Where a login may land: `next` as a path of our own origin with its query and fragment, or null when browsers, routers or proxies
 * could read it as anything else. Nothing below /api/auth, which would start another login.
 */
export function safeNext(next: string | null | undefined, origin: string): string | null {
  if (!next?.startsWith("/") || next.length > MAX_LENGTH || !harmless(next)) return null
  const url = URL.parse(next, origin)
  if (url === null || url.origin !== origin || url.username !== "" || url.password !== "") return null
  const path = fullyDecoded(url.pathname)
  if (path === null || hasControls(path) || FOREIGN.test(path) || /^\/api\/auth(\/|$)/i.test(path)) return null
  return url.pathname + url.search + url.hash
}

/** Browsers leave control characters out. */
const hasControls = (text: string) => [...text].some((char) => char < " " || (char >= "\x7f" && char <= "\x9f"))

/** Browsers read a backslash as a slash. */
const harmless = (text: string) => !text.includes("\\") && !hasControls(text)

/** A beginning that a less strict parser than URL would read as another host or a scheme. After the first part all is a path. */
const FOREIGN = /^\/[/.;]|^\/[^/]*[@:\\\u2044\u2215\u2571\u27cb\u29f8\u2afb\u2afd]/

/** Decoded until nothing changes, with look-alikes of `/` and `:` normalised; null when that does not end. */
function fullyDecoded(path: string): string | null {
  let text = path
  for (let round = 0; round < 5; round++) {
    let decoded: string
    try {
      decoded = decodeURIComponent(text).normalize("NFKC")
    } catch {
      // A percent sign that was itself encoded is text.
      return round === 0 ? null : text
    }
    if (decoded === text) return text
    text = decoded
  }
  return null
}
