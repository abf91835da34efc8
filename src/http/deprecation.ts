import type { MiddlewareHandler } from "hono"
import { DAY_MS } from "../base/time.ts"
import type { AppEnv } from "./app-env.ts"
import { DEPRECATION_POLICY } from "./policies.ts"

/** The page that every deprecated operation links to. */
const GUIDE = "/docs/compatibility"

/** When an operation was deprecated and when it ends. Dates are UTC days, such as `2026-11-26`. */
export interface Deprecated {
  since: string
  /** The first day on which the operation may be gone. */
  sunset: string
  /** The replacement, as in the reference: `GET /v1/turns`. */
  instead: string
}

const timeOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** The headers of each response: Deprecation (RFC 9745), Sunset (RFC 8594), and a link to the guide. */
export function deprecationHeaders({ since, sunset }: Deprecated): Record<string, string> {
  const [from, to] = [timeOf(since), timeOf(sunset)]
  if (!(to - from >= DEPRECATION_POLICY.noticeDays * DAY_MS))
    throw new Error(
      `An operation is announced ${DEPRECATION_POLICY.noticeDays} days before its end: ${since}, ${sunset}.`,
    )
  return {
    Deprecation: `@${from / 1000}`,
    Sunset: new Date(to).toUTCString(),
    Link: `<${GUIDE}>; rel="deprecation"; type="text/html", <${GUIDE}>; rel="sunset"; type="text/html"`,
  }
}

/** Adds the headers to every response of a deprecated operation, also to errors. */
export function announcing(deprecated: Deprecated | undefined): MiddlewareHandler<AppEnv>[] {
  if (!deprecated) return []
  const headers = Object.entries(deprecationHeaders(deprecated))
  return [
    async (c, next) => {
      await next()
      for (const [name, value] of headers) c.res.headers.set(name, value)
    },
  ]
}
