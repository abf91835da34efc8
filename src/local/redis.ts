import { createHash, randomBytes, randomUUID } from "node:crypto"
import { once } from "node:events"
import { createClient } from "@redis/client"
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from "js-redis-server/core"
import { withPrefix } from "./redis-commands.ts"
import { type Answer, type Call, jsonAnswer, type Service } from "./service.ts"

type Client = ReturnType<typeof createClient>

/**
 * Starts a Redis server in this process, for use without a real one. It listens on 127.0.0.1 only, and its URL has a
 * new password, without which a connection can do nothing.
 */
export async function startRedisServer(): Promise<{ url: string; close(): Promise<void> }> {
  const requirepass = randomBytes(24).toString("base64url")
  const state = new RedisServerState({ databaseCount: 1, requirepass })
  const redis = new Resp2Server({ server: state, executor: createRedisCommandExecutor() })
  // Its own method `listen` knows no host.
  redis.server.listen(0, "127.0.0.1")
  await once(redis.server, "listening")
  return { url: `redis://:${requirepass}@127.0.0.1:${redis.getPort()}`, close: () => redis.close() }
}

interface RedisOptions {
  url: string
  /** The prefix of every key, so that others can use the same server. Keys of an earlier run with it are deleted. */
  prefix: string
  token: string
}

/** Serves the REST protocol of Upstash for the keys of a Redis server that have this prefix. */
export async function createRedisRest({ url, prefix, token }: RedisOptions) {
  let isConnected = false
  // The first connection fails at once if there is no server. Later ones are retried.
  const reconnectStrategy = (tries: number, cause: Error) => (isConnected ? Math.min(50 * tries, 1000) : cause)
  const client: Client = createClient({ url, RESP: 2, socket: { reconnectStrategy } })
  client.on("error", () => {})
  await client.connect()
  isConnected = true
  await flush()

  /** The keys that match a pattern, without the prefix. */
  async function keysLike(pattern: string): Promise<string[]> {
    const found: string[] = []
    const like = prefix.replaceAll(/[*?[\]\\]/g, "\\$&") + pattern
    for await (const keys of client.scanIterator({ MATCH: like, COUNT: 1000 })) found.push(...keys)
    return found.map((key) => key.slice(prefix.length))
  }

  async function flush(): Promise<"OK"> {
    const keys = await keysLike("*")
    if (keys.length > 0) await client.del(keys.map((key) => prefix + key))
    return "OK"
  }
  const listeners = new Set<Client>()
  // The first line of a script is only for Upstash. Clients hash the script with it, and Redis gets it without.
  const scripts = new Map<string, string>()

  function ownWords(parts: unknown[]): string[] {
    const words = withPrefix(
      parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))),
      prefix,
    )
    if (!words) throw new Error(`ERR Command is not available: '${String(parts[0]).toUpperCase()}'`)
    return words
  }

  async function command(parts: unknown[]): Promise<unknown> {
    const name = String(parts[0]).toLowerCase()
    if (name === "keys") return keysLike(String(parts[1]))
    if (name === "dbsize") return (await keysLike("*")).length
    if (name === "flushdb") return flush()
    const words = ownWords(parts)
    if (name === "eval" || (name === "script" && words[1]?.toLowerCase() === "load")) {
      const at = name === "eval" ? 1 : 2
      const script = words[at] ?? ""
      words[at] = script.replace(/^#!lua[^\n]*\n/, "")
      scripts.set(sha1(script), sha1(words[at]))
      const result = await client.sendCommand(words)
      return name === "script" ? sha1(script) : result
    }
    if (name === "evalsha" && words[1]) words[1] = scripts.get(words[1].toLowerCase()) ?? words[1]
    return client.sendCommand(words)
  }

  async function run(
    parts: unknown,
    encode: (value: unknown) => unknown,
  ): Promise<{ result: unknown } | { error: string }> {
    if (!Array.isArray(parts) || parts.length === 0) return { error: "ERR empty command" }
    try {
      return { result: encode(await command(parts)) }
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) }
    }
  }

  async function transaction(commands: unknown[][], encode: (value: unknown) => unknown): Promise<Answer> {
    const multi = client.multi()
    try {
      for (const parts of commands) multi.addCommand(ownWords(parts))
      const replies = (await multi.exec()) as unknown[]
      return jsonAnswer(
        200,
        replies.map((reply) => (reply instanceof Error ? { error: reply.message } : { result: encode(reply) })),
      )
    } catch (error) {
      const replies = (error as { replies?: unknown[] }).replies
      if (!replies) return jsonAnswer(400, { error: error instanceof Error ? error.message : String(error) })
      return jsonAnswer(
        200,
        replies.map((reply) => (reply instanceof Error ? { error: reply.message } : { result: encode(reply) })),
      )
    }
  }

  const service: Service = async (call) => {
    const query = new URLSearchParams(call.search)
    const given = call.headers.authorization?.replace(/^Bearer /i, "") ?? query.get("_token")
    if (given !== token) return jsonAnswer(401, { error: "WRONGPASS invalid or missing auth token" })
    const encode = call.headers["upstash-encoding"] === "base64" ? toBase64 : (value: unknown) => value
    const answer = await route(call, encode)
    return {
      ...answer,
      headers: { ...answer.headers, "upstash-sync-token": call.headers["upstash-sync-token"] || randomUUID() },
    }
  }

  /** Upstash's SUBSCRIBE over REST. Each listener has a connection, so that PUBLISH counts them as Upstash does. */
  async function listen(channel: string): Promise<Answer> {
    const listener = client.duplicate()
    listener.on("error", () => {})
    await listener.connect()
    let send = (_part: string) => {}
    await listener.subscribe(prefix + channel, (message) => send(`data: message,${channel},${message}\n\n`))
    listeners.add(listener)
    return {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      stream(deliver) {
        send = deliver
        send(`data: subscribe,${channel},1\n\n`)
        return () => {
          if (listeners.delete(listener)) listener.destroy()
        }
      },
    }
  }

  async function route(call: Call, encode: (value: unknown) => unknown): Promise<Answer> {
    if (call.method !== "POST" && call.method !== "GET") return jsonAnswer(405, { error: "ERR method not allowed" })
    const body = call.body.toString()
    const words = call.path.split("/").filter(Boolean).map(decodeURIComponent)
    if (words[0] === "subscribe" && words[1]) return listen(words[1])
    if (words.length > 0 && words[0] !== "pipeline" && words[0] !== "multi-exec") {
      return single(await run(call.method === "POST" && body ? [...words, body] : words, encode))
    }
    const commands = parse(body)
    if (!Array.isArray(commands)) return jsonAnswer(400, { error: "ERR failed to parse the command" })
    if (words[0] === "multi-exec") return transaction(commands as unknown[][], encode)
    if (words[0] === "pipeline") {
      const results = []
      for (const parts of commands) results.push(await run(parts, encode))
      return jsonAnswer(200, results)
    }
    return single(await run(commands, encode))
  }

  return {
    service,
    async close() {
      await flush().catch(() => {})
      for (const listener of listeners) listener.destroy()
      client.destroy()
    },
  }
}

export function redisLabel(call: Call): string {
  const value = parse(call.body.toString())
  const list = Array.isArray(value) ? value : []
  if (call.path === "/" || call.path === "") return String(list[0] ?? "")
  return `${call.path.slice(1)} ${list.map((parts) => (Array.isArray(parts) ? parts[0] : parts)).join(" ")}`.trim()
}

const single = (outcome: { result: unknown } | { error: string }) => jsonAnswer("error" in outcome ? 400 : 200, outcome)

const sha1 = (text: string) => createHash("sha1").update(text).digest("hex")

/** Implements Upstash-Encoding: every string except "OK" becomes base64. Numbers and null stay. */
function toBase64(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toBase64)
  return typeof value === "string" && value !== "OK" ? Buffer.from(value).toString("base64") : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
