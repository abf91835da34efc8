import type { Context } from "../actor/context.ts"
import { isLoopbackName } from "../base/network.ts"

/**
 * The origin for links in emails and redirects: the request's origin if its host is ours or a
 * brand's. A client can send any other host, so the link then uses our first host.
 */
export async function siteOrigin(ctx: Pick<Context, "db" | "site">, requestUrl: string): Promise<string> {
  const { host, hostname, origin } = new URL(requestUrl)
  const { site } = ctx
  if (site.hosts.includes(host) || (site.isLocal && isLoopbackName(hostname))) return origin
  const brand = await ctx.db
    .selectFrom("brands as b")
    .select("b.brand")
    .where((eb) =>
      eb.or([
        eb("b.hosts", "@>", JSON.stringify([host.toLowerCase()])),
        eb("b.hosts", "@>", JSON.stringify([hostname.toLowerCase()])),
      ]),
    )
    .executeTakeFirst()
  return brand ? origin : site.origin
}
