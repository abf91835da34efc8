import { TurnpikeError } from "../base/errors.ts"
import { OutboundError } from "./outbound-error.ts"

export interface UrlPolicy {
  /** Allows loopback addresses, over http too, but no other private addresses. */
  allowLoopback: boolean
  /** Hosts of our own services, as `host` or `host:port`. */
  ownHosts: readonly string[]
  /** Allows any host that an operator may run, also in private networks. It must not be used for owners' URLs. */
  operators?: true
}

/**
 * Names outside the public Internet (RFC 2606, 6761, 6762, 7686, 8375, 9476). They are rejected here,
 * so that an owner sees why when setting the URL. The runtime rejects names that resolve to private
 * addresses (`global_fetch_strictly_public`); a lookup of our own could differ from its lookup.
 */
const PRIVATE_SUFFIXES = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "in-addr.arpa",
  "ip6.arpa",
  "test",
  "example",
  "invalid",
  "onion",
  "alt",
]

/**
 * The URL, if owners may have us call it. Otherwise throws OutboundError "refused" (docs/architecture/tools.md).
 */
export function checkPublicUrl(input: string | URL, policy: UrlPolicy): URL {
  const url = parse(input)
  const host = url.hostname.replace(/\.+$/, "")
  const refuse = (why: string) => new OutboundError("refused", `The URL cannot be called: ${why}.`)
  if (url.username !== "" || url.password !== "") throw refuse("it carries a user name or password")
  if (isOwn(url, host, policy.ownHosts)) throw refuse("its host is this service itself")
  if (policy.operators && /^https?:$/.test(url.protocol)) return url
  if (policy.allowLoopback && isLoopback(host) && /^https?:$/.test(url.protocol)) return url
  if (url.protocol !== "https:") throw refuse("it must begin with https://")
  if (isAddress(host)) throw refuse("its host is an IP address; use a name")
  if (host === "" || !host.includes(".")) throw refuse(`its host "${host}" is no public name`)
  if (!/^(?:[a-z0-9_-]+\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/.test(host)) throw refuse("its host is not a valid name")
  if (PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
    throw refuse(`its host "${host}" is no public name`)
  }
  return url
}

function parse(input: string | URL): URL {
  if (input instanceof URL) return input
  if (!URL.canParse(input)) throw new OutboundError("refused", "The URL cannot be called: it is not an absolute URL.")
  return new URL(input)
}

/** The URL parser has already normalised IPv4 addresses to four numbers, and put IPv6 addresses into brackets. */
function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.startsWith("[")
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host)
}

function isOwn(url: URL, host: string, ownHosts: readonly string[]): boolean {
  const port = url.port || (url.protocol === "http:" ? "80" : "443")
  return ownHosts.some((own) => {
    const [, ownName = "", ownPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(own.toLowerCase()) ?? []
    const sameHost = ownName.replace(/\.+$/, "") === host || (isLoopback(ownName) && isLoopback(host))
    // On a public name all ports are ours; on a loopback name only this one is.
    return sameHost && (isLoopback(host) ? ownPort === port : true)
  })
}

/** Throws VALIDATION_FAILED for `param` if the URL could never be called. */
export function checkUrl({ urlPolicy }: { urlPolicy: UrlPolicy }, url: string | URL, param: string): void {
  try {
    checkPublicUrl(url, urlPolicy)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new TurnpikeError("VALIDATION_FAILED", `${param}: ${error.message}`, { param })
  }
}

/** Like `checkUrl`, for a URL that only an operator may set. */
export function checkOperatorsUrl({ urlPolicy }: { urlPolicy: UrlPolicy }, url: string, param: string): void {
  checkUrl({ urlPolicy: { ...urlPolicy, operators: true } }, url, param)
}
