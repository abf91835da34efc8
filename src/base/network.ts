/** A name by which a machine calls itself: `localhost`, or an address of its loopback interface. */
export const isLoopbackName = (hostname: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)

/** The networks of an address, the narrowest first: itself, or for IPv6 those of a customer (/64), a site (/56) and a provider's customer (/48). */
export function networksOf(address: string): string[] {
  const groups = groupsOf(address)
  if (groups === null) return [address]
  return [64, 56, 48].map((bits) => networkIn(groups, bits))
}

/** How much more may come from wider networks of IPv6 than from a /64, by the order of `networksOf`. */
const WIDER = [1, 2, 4]

/** The networks of an address, with how many times as much as from one address may come from each. */
export const countedNetworksOf = (address: string) =>
  networksOf(address).map((network, index) => ({ network, more: WIDER[index] ?? 1 }))

/** The narrowest network that belongs to one customer: an address, or for IPv6 its /64. */
export function networkOf(address: string | null): string {
  if (address === null) return "none"
  return networksOf(address)[0] as string
}

/** The eight groups of an IPv6 address; null for all others. */
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
