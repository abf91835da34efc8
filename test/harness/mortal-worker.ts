import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { TurnpikeError } from "../../src/base/errors.ts"
import { databaseOver } from "../../src/platform/db.ts"
import { createOutbound } from "../../src/platform/outbound.ts"
import { createRedis } from "../../src/platform/redis.ts"
import type { AgentContext } from "../../src/runs/run.ts"
import { noQueue } from "./context.ts"
import { PROVIDER_URL, type scriptProvider } from "./scripted-provider.ts"
import type { World } from "./world.ts"

/** Null if a statement succeeds. Otherwise it fails before or after its effect. */
export type Blip = "before" | "after" | null

/** A callbacks worker that can die at any moment. After its death it makes no calls and gets no answers. */
export function mortalWorker(
  world: World,
  provider: ReturnType<typeof scriptProvider>,
  { name, blip = () => null }: { name: string; blip?: () => Blip },
) {
  let dead = false
  const never = new Promise<never>(() => {})
  async function whileAlive<T>(work: () => Promise<T>): Promise<T> {
    if (dead) return never
    const came = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    if (dead) return never
    if ("error" in came) throw came.error
    return came.value
  }
  const clock = {
    now: world.clock.now,
    pause: world.clock.pause,
    sleep: (ms: number, signal?: AbortSignal) => whileAlive(() => world.clock.sleep(ms, signal)),
    after: (ms: number, act: () => void) =>
      world.clock.after(ms, () => {
        if (!dead) act()
      }),
  }
  const fetch: typeof globalThis.fetch = (input, init) =>
    whileAlive(async () => {
      const signal = init?.signal ?? undefined
      signal?.throwIfAborted()
      const response = await provider.serve(new Request(input, { ...init, signal: null }), name, signal)
      signal?.throwIfAborted()
      return response
    })
  const lost: Record<string, unknown>[] = []
  const base = createContext(parseBaseEnv(world.env), () => {}, { clock, fetch })
  const db = databaseOver((statement) =>
    whileAlive(async () => {
      const when = blip()
      if (when === "before") throw unavailable()
      const answer = await base.db.run(statement)
      if (when === "after") throw unavailable()
      return answer
    }),
  )
  const ctx: AgentContext = {
    ...base,
    db,
    queue: noQueue,
    log(_level, event, fields = {}) {
      if (event === "model.lost") lost.push(fields)
    },
    outbound: createOutbound({ fetch, clock, policy: base.urlPolicy }),
    turnFetch: fetch,
    variables: { OPENAI_BASE_URL: PROVIDER_URL },
    redis: createRedis(parseBaseEnv(world.env), base.meter),
  }
  return {
    ctx,
    name,
    /** The lost calls in its log. */
    lost,
    kill() {
      dead = true
    },
  }
}

const unavailable = () => new TurnpikeError("UNAVAILABLE", "The database does not answer.", { retryAfter: 1 })
