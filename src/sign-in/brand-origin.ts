import type { Context } from "../actor/context.ts"

/**
 * The origin of a link to an account's pages: a host of the account's own brand, since the owner of
 * another brand's host could read the token. Null if the brand has no host.
 */
export async function originOfBrand(ctx: Context, brand: string, askedAt: string): Promise<string | null> {
  const { host, hostname, protocol } = new URL(askedAt)
  const brands = await ctx.db.selectFrom("brands as b").select(["b.brand", "b.hosts"]).execute()
  const hostsOf = (one: { hosts: unknown } | undefined) => (one?.hosts ?? []) as string[]
  const brandAt = (name: string) => brands.find((one) => hostsOf(one).includes(name.toLowerCase()))?.brand
  if ((brandAt(host) ?? brandAt(hostname) ?? ctx.brand) === brand) return askedAt
  const [own] = hostsOf(brands.find((one) => one.brand === brand))
  return own === undefined ? null : `${protocol}//${own}`
}
