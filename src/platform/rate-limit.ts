import { Ratelimit } from "@upstash/ratelimit"
import { countedNetworksOf, networksOf } from "../base/network.ts"
import { systemClock } from "./clock.ts"
import type { Redis } from "./redis.ts"

/** `burst` requests at once, then one per `everyMs`: of an account, an IPv4 address or a subscriber's IPv6 network. */
export interface Rate {
  burst: number
  everyMs: number
}

/** How many blocked networks an isolate remembers. */
const REMEMBERED = 10_000

/** Counts requests of one kind from an address. It uses the machine's clock, which the library reads. */
export interface RateLimit {
  /**
   * Counts a request. Returns 0 if it is allowed, else the milliseconds until the next one is.
   * Throws UNAVAILABLE without Redis.
   */
  take(): Promise<number>
  /** Like `take`, from this isolate's memory: it neither counts nor calls Redis. */
  known(): number
}

// The library admits a request only after the moment that it returns.
const leftUntil = (reset: number) => reset + 1 - systemClock.now().getTime()

const waitOf = ({ success, reset }: { success: boolean; reset: number }) =>
  success ? 0 : Math.max(1, leftUntil(reset))

const bucketOf = (
  redis: ConstructorParameters<typeof Ratelimit>[0]["redis"],
  { name, rate, shut }: { name: string; rate: Rate; shut?: Map<string, number> },
) =>
  new Ratelimit({
    redis,
    prefix: name,
    limiter: Ratelimit.tokenBucket(1, `${rate.everyMs} ms`, rate.burst),
    ephemeralCache: shut ?? false,
    // A call of Redis has its own time limit, and uncounted requests are not allowed.
    timeout: 0,
    enableTelemetry: false,
  })

/**
 * Counts an act of an account. Returns 0 if it is allowed, else the seconds until the next one is. Throws UNAVAILABLE
 * without Redis.
 */
export async function takeOfAccount(redis: Redis, name: string, userId: number, rate: Rate): Promise<number> {
  const answers = await redis.together((client) => [bucketOf(client, { name, rate }).limit(String(userId))])
  return Math.ceil(Math.max(0, ...answers.map(waitOf)) / 1000)
}

/** `shut`: the blocked networks that this isolate knows, and until when. */
export function createRateLimit(
  redis: () => Redis,
  { name, address, rate, shut }: { name: string; address: string; rate: Rate; shut: Map<string, number> },
): RateLimit {
  if (shut.size > REMEMBERED) shut.clear()
  const known = () => {
    if (shut.size === 0) return 0
    return Math.max(0, ...networksOf(address).map((network) => leftUntil(shut.get(`${name}:${network}`) ?? 0)))
  }
  return {
    known,
    async take() {
      // A blocked network must not use up the limit of the wider networks.
      if (known() > 0) return known()
      const answers = await redis().together((client) =>
        countedNetworksOf(address).map(({ network, more }) => {
          const wider = { burst: rate.burst * more, everyMs: rate.everyMs / more }
          return bucketOf(client, { name, rate: wider, shut }).limit(network)
        }),
      )
      return Math.max(0, ...answers.map(waitOf))
    },
  }
}
