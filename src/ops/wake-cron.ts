import { systemClock } from "../platform/clock.ts"
import { CronState, SLEEP_POLICY } from "../platform/cron-state.ts"
import { Meter } from "../platform/meter.ts"
import { createRedis } from "../platform/redis.ts"

/** Wakes a sleeping cron, if the variables of the workers' Redis are set. Returns a warning, or null. */
export async function wakeCron(env: Record<string, string | undefined>): Promise<string | null> {
  const { UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN } = env
  if (!UPSTASH_REDIS_REST_URL || !UPSTASH_REDIS_REST_TOKEN) return null
  const redis = createRedis({ UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN }, new Meter())
  try {
    await new CronState(() => redis, systemClock, { at: Number.NEGATIVE_INFINITY }).mark()
    return null
  } catch {
    const hours = SLEEP_POLICY.longestMs / 3_600_000
    return `Redis does not answer. If the service sleeps, it may notice the change up to ${hours} hours later.`
  }
}
