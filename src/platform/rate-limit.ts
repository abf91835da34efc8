import { Ratelimit } from "@upstash/ratelimit"
import { countedNetworksOf, networksOf } from "../base/network.ts"
import { systemClock } from "./clock.ts"
import type { Redis } from "./redis.ts"

/** `burst` times at once, then once in each `everyMs`: from one address, or from one customer's IPv6 network. */
export interface Rate {
  burst: number
  everyMs: number
}

/** So many networks that are shut out an isolate remembers. */
const REMEMBERED = 10_000

/** Counts what comes from an address, for one kind of request. By the machine's clock, which the library reads. */
export interface RateLimit {
  /** Counts one. Answers the milliseconds until the next one is let in: 0 when this one is. UNAVAILABLE without Redis. */
  take(): Promise<number>
  /** The same of what this isolate knows, without counting and without a call. */
  known(): number
}

/** `shut`: until when this isolate knows networks to be shut out. */
export function createRateLimit(
  redis: () => Redis,
  { name, address, rate, shut }: { name: string; address: string; rate: Rate; shut: Map<string, number> },
): RateLimit {
  if (shut.size > REMEMBERED) shut.clear()
  // The library lets in behind the moment that it names.
  const leftUntil = (reset: number) => reset + 1 - systemClock.now().getTime()
  const known = () => {
    if (shut.size === 0) return 0
    return Math.max(0, ...networksOf(address).map((network) => leftUntil(shut.get(`${name}:${network}`) ?? 0)))
  }
  return {
    known,
    async take() {
      // Who is shut out takes nothing from the wider networks of others.
      if (known() > 0) return known()
      const answers = await redis().together((client) =>
        countedNetworksOf(address).map(({ network, more }) => {
          const limit = new Ratelimit({
            redis: client,
            prefix: name,
            limiter: Ratelimit.tokenBucket(1, `${rate.everyMs / more} ms`, rate.burst * more),
            ephemeralCache: shut,
            // A call of Redis has its own limit, and what is not counted is not let in.
            timeout: 0,
            enableTelemetry: false,
          })
          return limit.limit(network)
        }),
      )
      return Math.max(0, ...answers.map(({ success, reset }) => (success ? 0 : Math.max(1, leftUntil(reset)))))
    },
  }
}
