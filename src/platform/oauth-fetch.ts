import type { CustomFetchOptions } from "oauth4webapi"
import type { Clock } from "./clock.ts"
import { createOutbound } from "./outbound.ts"
import type { UrlPolicy } from "./public-url.ts"

type OauthFetch = (url: string, options: CustomFetchOptions<string, unknown>) => Promise<Response>

/**
 * A fetch for `oauth4webapi`, guarded, limited in time and size, and without redirects. It throws
 * OutboundError, also while the body is read.
 */
export function createOauthFetch(
  ctx: { fetch: typeof globalThis.fetch; clock: Clock },
  { policy, timeoutMs, maxBytes }: { policy: UrlPolicy; timeoutMs: number; maxBytes: number },
): OauthFetch {
  const outbound = createOutbound({ fetch: ctx.fetch, clock: ctx.clock, policy })
  return (url, { method, headers, body }) => {
    const sent = body === undefined || body === null ? {} : { body: String(body) }
    return outbound.send({ url, method, headers, timeoutMs, maxBytes, maxRedirects: 0, ...sent })
  }
}
