/** True for `localhost` and for addresses of the loopback interface. */
export const isLoopbackName = (hostname: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)

/**
 * The networks of an address, narrowest first: an IPv4 address itself, or the /64 (one subscriber), /56
 * (site) and /48 (organisation) of IPv6.
 */
export function networksOf(address: string): string[] {
  const groups = groupsOf(address)
  if (groups === null) return [address]
  return [64, 56, 48].map((bits) => networkIn(groups, bits))
}

/** The limits of the networks in `networksOf`, as multiples of the limit of one address. */
const WIDER = [1, 2, 4]

/** The networks of an address, each with its multiple of the limit of one address. */
export const countedNetworksOf = (address: string) =>
  networksOf(address).map((network, index) => ({ network, more: WIDER[index] ?? 1 }))

/** The narrowest network of one subscriber: an IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string | null): string {
  if (address === null) return "none"
  return networksOf(address)[0] as string
}

/** The eight groups of an IPv6 address; null for any other text. */
function groupsOf(address: string): number[] | null {
  const host = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
  if (host === undefined) return null
  const [head = "", tail] = host.split("::")
  const first = head === "" ? [] : head.split(":")
  const last = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill("0")
  return [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16))
}

function networkIn(groups: number[], bits: number): string {
  const kept = groups.slice(0, 4).map((group, at) => {
    const left = Math.min(16, Math.max(0, bits - 16 * at))
    return (group & (0xffff << (16 - left)) & 0xffff).toString(16)
  })
  return `${kept.join(":")}::/${bits}`
}
