import { createHash } from "node:crypto"
import { TurnpikeError } from "../base/errors.ts"
import { countedNetworksOf, networkOf } from "../base/network.ts"
import { describeError } from "../platform/log.ts"
import type { AuthContext } from "./auth-context.ts"
import { LOGIN_POLICY } from "./policies.ts"

/** The account whose password is checked. */
export interface PasswordAttempt {
  /** The user_id, or the email of an unknown user. */
  account: number | string
  /** True if the account has had a session from this address. The limit for unknown addresses does not apply then. */
  known: boolean
}

/**
 * One script checks all limits, so concurrent attempts get no more tries than sequential ones. Each
 * key stores the time at which all its tries are available again (GCRA, ITU-T I.371). Returns 0, or
 * the milliseconds until the next try.
 */
const TAKE = `
local now, wait, back = tonumber(ARGV[1]), 0, {}
for i, key in ipairs(KEYS) do
  local burst, interval = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  back[i] = math.max(tonumber(redis.call('GET', key) or '0'), now) + interval
  wait = math.max(wait, back[i] - burst * interval - now)
end
if wait > 0 then return wait end
for i, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.0f', back[i]), 'PX', string.format('%.0f', back[i] - now))
end
return 0`

/** Returns a try to each key. */
const GIVE_BACK = `
local now = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local back = tonumber(redis.call('GET', key) or '0') - tonumber(ARGV[2 * i + 1])
  if back > now then
    redis.call('SET', key, string.format('%.0f', back), 'PX', string.format('%.0f', back - now))
  else
    redis.call('DEL', key)
  end
end
return 0`

/**
 * Takes one try of the account and of the address before the password is checked. The caller calls
 * `giveBack` if the password was correct or was not checked. Throws LOGIN_THROTTLED, or UNAVAILABLE
 * without Redis: no try is uncounted.
 */
export async function takePasswordTry(ctx: AuthContext, attempt: PasswordAttempt): Promise<{ giveBack(): void }> {
  const limits = limitsOf(attempt, ctx.address)
  return takeTry(ctx, limits, "Too many wrong passwords for this account, or from this address.")
}

/** A Redis key and its limit: `burst` tries at once, then one per `intervalMs`. */
interface TryLimit {
  key: string
  burst: number
  intervalMs: number
}

/** Takes one try from all of these limits, or from none. Throws LOGIN_THROTTLED with `message`, or UNAVAILABLE. */
export async function takeTry(ctx: AuthContext, limits: TryLimit[], message: string): Promise<{ giveBack(): void }> {
  const keys = limits.map(({ key }) => key)
  const args = () => [ctx.clock.now().getTime(), ...limits.flatMap(({ burst, intervalMs }) => [burst, intervalMs])]
  const wait = await ctx.redis.run<number>(TAKE, keys, args())
  if (wait > 0) {
    const seconds = Math.ceil(wait / 1000)
    ctx.log("info", "login.throttled", { wait_seconds: seconds })
    throw new TurnpikeError("LOGIN_THROTTLED", `${message} Try again in ${seconds} s.`, { retryAfter: seconds })
  }
  return {
    giveBack() {
      const given = ctx.redis.run(GIVE_BACK, keys, args()).catch((error: unknown) => {
        ctx.log("error", "login.try_not_given_back", { error: describeError(error) })
      })
      ctx.background(given)
    },
  }
}

function limitsOf({ account, known }: PasswordAttempt, address: string | null): TryLimit[] {
  const name = createHash("sha256")
    .update(`${typeof account}:${account}`)
    .digest("hex")
  return [
    { key: `login:both:${name}:${networkOf(address)}`, ...LOGIN_POLICY.accountAtAddress },
    ...limitsByAddress("login:address", address, LOGIN_POLICY.address),
    ...(known ? [] : [{ key: `login:account:${name}`, ...LOGIN_POLICY.accountElsewhere }]),
  ]
}

/** The limits of an address. IPv6 counts per /64, with twice and four times the limit per /56 and /48. */
export function limitsByAddress(name: string, address: string | null, limit: Omit<TryLimit, "key">): TryLimit[] {
  const shares = address === null ? [{ network: networkOf(null), more: 1 }] : countedNetworksOf(address)
  return shares.map(({ network, more }) => ({
    key: `${name}:${network}`,
    burst: limit.burst * more,
    intervalMs: limit.intervalMs / more,
  }))
}
