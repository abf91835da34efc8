import { Redis as Upstash } from "@upstash/redis/cloudflare"
import { TurnpikeError } from "../base/errors.ts"
import type { Meter } from "./meter.ts"
import { TIME_LIMITS } from "./time-limits.ts"

/**
 * The parts of Redis that workers use: texts under keys that expire, and scripts. Throws
 * UNAVAILABLE if Redis does not respond.
 */
export interface Redis {
  get(key: string): Promise<string | null>
  /** The texts under several keys, in one command. */
  getAll(keys: string[]): Promise<(string | null)[]>
  /** Stores a text for `ttlMs`. `onlyNew`: only if the key does not exist. Returns whether it was stored. */
  set(key: string, value: string, options: { ttlMs: number; onlyNew?: boolean }): Promise<boolean>
  /** Reads and deletes a text atomically, so only one of several callers gets it. */
  take(key: string): Promise<string | null>
  /** Deletes a text. */
  drop(key: string): Promise<void>
  /** Runs a Lua script atomically. It returns integers, texts, null, or lists of them. */
  run<Answer>(script: string, keys: string[], args: (string | number)[]): Promise<Answer>
  /** Sends messages to all who listen on their channels now, in one round trip. Returns how many listen on each. */
  publish(messages: ChannelMessage[]): Promise<number[]>
  /**
   * Listens on a channel. Resolves once every later message will arrive. The messages end with the connection, or with
   * `signal`.
   */
  subscribe(channel: string, signal: AbortSignal): Promise<AsyncGenerator<string>>
  /** For a library that takes the SDK's client. Commands issued together share one round trip. */
  together<Answer>(work: (client: Upstash) => Promise<Answer>[]): Promise<Answer[]>
}

export interface ChannelMessage {
  channel: string
  message: string
}

interface RedisEnv {
  UPSTASH_REDIS_REST_URL: string
  UPSTASH_REDIS_REST_TOKEN: string
}

const RETRY = { retries: 1, backoff: () => 50 }

/** Upstash's Redis over REST. Each command or script is one round trip. */
export function createRedis(env: RedisEnv, meter: Meter): Redis {
  const open = (enableAutoPipelining: boolean) =>
    new Upstash({
      url: env.UPSTASH_REDIS_REST_URL,
      token: env.UPSTASH_REDIS_REST_TOKEN,
      automaticDeserialization: false,
      enableAutoPipelining,
      enableTelemetry: false,
      retry: RETRY,
      // A function, since the SDK would convert an abort of its own signal to an answer.
      signal: () => AbortSignal.timeout(TIME_LIMITS.redisMs),
    })
  // Opened on first use, because the SDK makes hundreds of functions for each client.
  let opened: Upstash | undefined
  const client = () => (opened ??= open(false))
  const call = <Answer>(work: () => Promise<Answer>) => meter.measure("redis", () => work().catch(unavailable))
  return {
    get: (key) => call(() => client().get<string>(key)),
    getAll: (keys) => call(() => client().mget<(string | null)[]>(keys)),
    drop: async (key) => void (await call(() => client().del(key))),
    take: (key) => call(() => client().getdel<string>(key)),
    async set(key, value, { ttlMs, onlyNew }) {
      const px = Math.max(1, Math.ceil(ttlMs))
      return (await call(() => client().set(key, value, onlyNew ? { px, nx: true } : { px }))) === "OK"
    },
    run: (script, keys, args) => call(() => client().eval(script, keys, args.map(String))),
    publish: (messages) => call(() => publish(client(), messages)),
    subscribe: (channel, signal) => call(() => subscribe(env, channel, signal)),
    together: (work) => call(() => Promise.all(work(open(true)))),
  }
}

async function publish(client: Upstash, messages: ChannelMessage[]): Promise<number[]> {
  const [first, second] = messages
  if (!first) return []
  if (!second) return [await client.publish(first.channel, first.message)]
  const pipeline = client.pipeline()
  for (const { channel, message } of messages) pipeline.publish(channel, message)
  return pipeline.exec<number[]>()
}

/** The longest event of a channel. Messages of this service are shorter. */
const MOST_EVENT_CHARS = 1024 * 1024

/**
 * Upstash's SUBSCRIBE: server-sent events `subscribe,<channel>,<listeners>` and `message,<channel>,<text>`. The SDK's
 * own subscriber takes each chunk of the connection for one event, so it loses messages that arrive together.
 */
async function subscribe(
  { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }: RedisEnv,
  channel: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const over = new AbortController()
  const late = setTimeout(() => over.abort(new Error("Redis does not answer")), TIME_LIMITS.redisMs)
  try {
    const response = await fetch(`${url.replace(/\/+$/, "")}/subscribe/${encodeURIComponent(channel)}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
      signal: AbortSignal.any([signal, over.signal]),
    })
    if (!response.ok || !response.body) throw new Error(`SUBSCRIBE: HTTP ${response.status}`)
    const events = dataOf(response.body)
    const first = await events.next()
    if (first.done || !first.value.startsWith("subscribe,")) throw new Error("SUBSCRIBE: no confirmation")
    const start = `message,${channel},`
    return (async function* () {
      for await (const event of events) if (event.startsWith(start)) yield event.slice(start.length)
    })()
  } finally {
    clearTimeout(late)
  }
}

/** The data of server-sent events that have one line of data each. */
async function* dataOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const lines = (rest + value).split(/\r?\n/)
      rest = lines.pop() ?? ""
      if (rest.length > MOST_EVENT_CHARS) throw new Error("SUBSCRIBE: an event is too long")
      for (const line of lines) if (line.startsWith("data:")) yield line.slice("data:".length).trimStart()
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** The seconds to wait after Redis refused a command, and while its plan is used up. */
const REFUSED_SECONDS = { refused: 60, quota: 3600 } as const

/** Upstash's words for a plan whose limit is reached: requests of the month or day, bandwidth, or storage. */
const QUOTA = /\b(limit|quota)\b[^.]*\bexceeded\b|\bexceeded\b[^.]*\b(limit|quota)\b/i

/**
 * The words of a provider that has answered with an error; null if it has not answered. The SDK adds the command, and
 * with it a token's hash, which is left out.
 */
function wordsOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== "UpstashError") return null
  const [words = ""] = error.message.replace(/^Command \d+ \[ \S+ \] failed: /, "").split(/,? ?command was:/i)
  return words.trim().slice(0, 200)
}

function unavailable(error: unknown): never {
  const words = wordsOf(error)
  const isQuota = words !== null && QUOTA.test(words)
  const message = isQuota
    ? "A part of the service has used up its plan. It works again when the plan's next period begins or an operator raises its limit."
    : "A part of the service does not answer. Retry the same request shortly."
  throw new TurnpikeError("UNAVAILABLE", message, {
    retryAfter: words === null ? 1 : isQuota ? REFUSED_SECONDS.quota : REFUSED_SECONDS.refused,
    cause: new Error(words === null ? `Redis: ${error instanceof Error ? error.name : "no error"}` : `Redis: ${words}`),
  })
}
