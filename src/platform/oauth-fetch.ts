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

/**
 * The fields of a provider's JSON answer as OAuth defines them: servers send null for a field that they leave out, such
 * as `expires_in` of a token that never expires, and some send `scope` as a list (RFC 6749 section 5.1). Any other text
 * stays as it is.
 */
export function presentFields(text: string): string {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return text
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return text
  const given = Object.entries(answer).filter(([, value]) => value !== null)
  const isList = (name: string, value: unknown) => name === "scope" && Array.isArray(value)
  if (given.length === Object.keys(answer).length && !given.some(([name, value]) => isList(name, value))) return text
  return JSON.stringify(
    Object.fromEntries(
      given.map(([name, value]) => [name, isList(name, value) ? (value as unknown[]).join(" ") : value]),
    ),
  )
}
