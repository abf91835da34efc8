import { Redis as Upstash } from "@upstash/redis/cloudflare"
import { TurnpikeError } from "../base/errors.ts"
import type { Meter } from "./meter.ts"
import { TIME_LIMITS } from "./time-limits.ts"

/** What workers ask of Redis: texts under keys that expire, and scripts. A Redis that does not answer is UNAVAILABLE. */
export interface Redis {
  get(key: string): Promise<string | null>
  /** Keeps a text for `ttlMs`. `onlyNew`: only when the key is not there yet; then whether it was kept. */
  set(key: string, value: string, options: { ttlMs: number; onlyNew?: boolean }): Promise<boolean>
  /** Reads a text and removes it, as one step: of all who ask, one gets it. */
  take(key: string): Promise<string | null>
  /** Runs a Lua script as one step. Its answer: integers, texts, null, and lists of them. */
  run<Answer>(script: string, keys: string[], args: (string | number)[]): Promise<Answer>
}

const RETRY = { retries: 1, backoff: () => 50 }

/** Upstash's Redis over REST: one command or script, one round trip. Never of the v1 worker, whose size it would double. */
export function createRedis(
  env: { UPSTASH_REDIS_REST_URL: string; UPSTASH_REDIS_REST_TOKEN: string },
  meter: Meter,
): Redis {
  const client = new Upstash({
    url: env.UPSTASH_REDIS_REST_URL,
    token: env.UPSTASH_REDIS_REST_TOKEN,
    automaticDeserialization: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    retry: RETRY,
    // A function: of a signal of its own the SDK would make an answer.
    signal: () => AbortSignal.timeout(TIME_LIMITS.redisMs),
  })
  const call = <Answer>(work: () => Promise<Answer>) => meter.measure("redis", () => work().catch(unavailable))
  return {
    get: (key) => call(() => client.get<string>(key)),
    take: (key) => call(() => client.getdel<string>(key)),
    async set(key, value, { ttlMs, onlyNew }) {
      const px = Math.max(1, Math.ceil(ttlMs))
      return (await call(() => client.set(key, value, onlyNew ? { px, nx: true } : { px }))) === "OK"
    },
    run: (script, keys, args) => call(() => client.eval(script, keys, args.map(String))),
  }
}

function unavailable(error: unknown): never {
  throw new TurnpikeError("UNAVAILABLE", "A part of the service does not answer. Retry the same request shortly.", {
    retryAfter: 1,
    // Its message may hold the command, which may hold a token's hash: only its kind goes on.
    cause: new Error(error instanceof Error ? `Redis: ${error.name}` : "Redis"),
  })
}
