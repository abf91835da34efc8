import { TIME_LIMITS, within } from "./time-limits.ts"

/** The reason why a server could not be reached. */
export type NetworkFault = keyof typeof WORDS

/** The reasons as texts for the server's owner. Each follows the server's origin. */
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

/**
 * Signs in Node's codes and its libraries' messages. TLS precedes reset, since an interrupted
 * handshake is a TLS fault.
 */
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

/** The only two messages of the Workers runtime: for a refused or lost connection, and for DNS and TLS. */
const LOST = /network connection lost/i
const INTERNAL = /^internal error/i

/**
 * The reason why a fetch failed; null if it is unknown. The Workers runtime hides the reason, so we
 * open a plain connection, which tells DNS from TLS faults and a refused connection from a reset one.
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

/** True if a TCP connection can be opened; null if that cannot be tested, or not in time. */
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
