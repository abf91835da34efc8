import { TIME_LIMITS, within } from "./time-limits.ts"

/** Why a server could not be asked. */
export type NetworkFault = keyof typeof WORDS

/** What it means for the server's owner; it follows the server's origin. */
const WORDS = {
  dns: "its name has no address in DNS",
  refused: "the connection was refused, so nothing listens at this port",
  tls: "the TLS handshake failed; check its certificate and that the port speaks TLS",
  reset: "the connection was reset before a valid answer came",
  timeout: "the connection was not made in time",
  unreachable: "there is no route to its address",
  protocol: "the answer is not valid HTTP",
} as const

export const wordsOfFault = (fault: NetworkFault): string => WORDS[fault]

/** By the codes of Node and the words of its libraries. A handshake that was cut off is a matter of TLS, so that comes first. */
const SIGNS: [NetworkFault, RegExp][] = [
  ["dns", /\b(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|getaddrinfo)\b|\bDNS\b/],
  [
    "tls",
    /\bCERT_|\w_CERT\b|_SSL_|_TLS_|CERTIFICATE|certificate|\b(EPROTO|TLS|SSL)\b|handshake|UNABLE_TO_(GET|VERIFY)/,
  ],
  ["refused", /ECONNREFUSED|connection refused/i],
  ["timeout", /ETIMEDOUT|CONNECT_TIMEOUT/],
  ["unreachable", /EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN/],
  ["protocol", /\bHPE_|does not match the HTTP/],
  ["reset", /ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|other side closed|socket hang up/],
]

/** All that the Workers runtime says: the first for a connection that was refused or lost, the second for DNS and TLS. */
const LOST = /network connection lost/i
const INTERNAL = /^internal error/i

/**
 * What a fetch failed with. The Workers runtime hides it, so a connection without a request is opened to tell DNS from TLS and refused
 * from reset. Null when it remains unknown.
 */
export async function networkFault(cause: unknown, url: URL): Promise<NetworkFault | null> {
  const said = textsOf(cause)
  const known = SIGNS.find(([, sign]) => said.some((text) => sign.test(text)))
  if (known) return known[0]
  const isInternal = said.some((text) => INTERNAL.test(text))
  if (!isInternal && !said.some((text) => LOST.test(text))) return null
  const opens = await connects(url)
  if (opens === null) return null
  if (!opens) return isInternal ? "dns" : "refused"
  return isInternal && url.protocol === "https:" ? "tls" : "reset"
}

/** The codes and messages of an error and its causes. */
function textsOf(error: unknown, depth = 0): string[] {
  if (typeof error !== "object" || error === null || depth > 5) return []
  const { code, message, cause, errors } = error as Record<string, unknown>
  const own = [code, message].filter((text): text is string => typeof text === "string")
  const inner = [cause, ...(Array.isArray(errors) ? errors.slice(0, 10) : [])]
  return [...own, ...inner.flatMap((one) => textsOf(one, depth + 1))]
}

/** Whether a TCP connection can be opened; null where that cannot be tried, or not in time. */
async function connects({ hostname, port, protocol }: URL): Promise<boolean | null> {
  try {
    const { connect } = await import("cloudflare:sockets")
    const socket = connect({ hostname, port: Number(port || (protocol === "https:" ? 443 : 80)) })
    const opened = socket.opened.then(
      () => true,
      () => false,
    )
    const close = () => void socket.close().catch(() => {})
    socket.closed.catch(() => {})
    return await within(TIME_LIMITS.probeMs, opened, () => new Error("The connection took too long.")).finally(close)
  } catch {
    return null
  }
}
