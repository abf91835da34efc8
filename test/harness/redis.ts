import type { World } from "./world.ts"

const COPY = "replica:"

/** A namespace's Redis over Upstash's REST API, and the faults that a test can give it. */
export function redisOf({ env }: Pick<World, "env">) {
  async function command(...words: string[]): Promise<unknown> {
    const headers = { authorization: `Bearer ${env.UPSTASH_REDIS_REST_TOKEN}` }
    const response = await fetch(env.UPSTASH_REDIS_REST_URL ?? "", {
      method: "POST",
      headers,
      body: JSON.stringify(words),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: string }
    if (error !== undefined) throw new Error(error)
    return result
  }
  const keys = async () => (await command("KEYS", "*")) as string[]

  return {
    command,
    /** Empties Redis, like a restart without persistence. */
    flush: () => command("FLUSHDB"),
    /** Makes a replica that receives no further updates. The returned function fails over to it. */
    async replica(): Promise<() => Promise<void>> {
      const copied = await keys()
      for (const key of copied) await command("COPY", key, COPY + key)
      return async () => {
        for (const key of await keys()) if (!key.startsWith(COPY)) await command("DEL", key)
        for (const key of copied) await command("RENAME", COPY + key, key)
      }
    },
  }
}
