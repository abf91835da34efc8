import { Redis } from "@upstash/redis"
import type { BaseEnv } from "../env.ts"

/** Upstash Redis over REST: quotas, one-time tokens, throttles. Never the record of money. */
export function createRedis(env: Pick<BaseEnv, "UPSTASH_REDIS_REST_URL" | "UPSTASH_REDIS_REST_TOKEN">): Redis {
  return new Redis({ url: env.UPSTASH_REDIS_REST_URL, token: env.UPSTASH_REDIS_REST_TOKEN, enableTelemetry: false })
}
