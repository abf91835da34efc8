import { createContext } from "../../src/actor/context.ts"
import { parseCallbacksEnv } from "../../src/base/env.ts"
import { databaseOver } from "../../src/platform/db.ts"
import { createOutbound } from "../../src/platform/outbound.ts"
import { createRedis } from "../../src/platform/redis.ts"
import { type RunnerContext, type RunnerReport, runTurns } from "../../src/runs/runner.ts"
import type { World } from "./world.ts"

/** The moment of a worker's death: before or after the effect of its n-th external call. */
export interface Death {
  call: number
  when: "before" | "after"
}

type Fetch = typeof globalThis.fetch

/** A runner's context in an isolate of its own, which may die. After its death it sends and receives nothing. */
export interface Isolate {
  ctx: RunnerContext
  died: Promise<"dead">
  /** Resolves when the background work of the isolate has ended. */
  settled(): Promise<void>
  /** The number of calls by kind. */
  calls: Record<string, number>
}

/** `onCall` is told before and after the effect of each call. A call that was under way at a death has its effect. */
export function createIsolate(
  world: World,
  {
    fetch: route,
    death,
    onCall = () => {},
  }: { fetch: Fetch; death?: Death | undefined; onCall?: ((moment: Death) => void) | undefined },
): Isolate {
  const calls: Record<string, number> = {}
  let count = 0
  let dead = false
  let die = () => {}
  const died = new Promise<"dead">((resolve) => {
    die = () => {
      dead = true
      resolve("dead")
    }
  })
  const never = new Promise<never>(() => {})

  async function io<T>(kind: string, work: () => Promise<T>): Promise<T> {
    if (dead) return never
    const call = ++count
    const isLast = call === death?.call
    calls[kind] = (calls[kind] ?? 0) + 1
    onCall({ call, when: "before" })
    if (isLast && death?.when === "before") {
      die()
      return never
    }
    const came = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    if (!dead) onCall({ call, when: "after" })
    if (isLast) die()
    if (dead) return never
    if ("error" in came) throw came.error
    return came.value
  }

  const background = new Set<Promise<unknown>>()
  const keep = (work: Promise<unknown>) => {
    const kept = work.catch(() => {}).finally(() => background.delete(kept))
    background.add(kept)
  }
  const env = parseCallbacksEnv({ ...world.env })
  const fetch: Fetch = (input, init) => io("fetch", () => route(input, init))
  const base = createContext(env, keep, { clock: world.clock, fetch })
  const outbound = createOutbound({ fetch, clock: world.clock, policy: base.urlPolicy })
  const ctx: RunnerContext = {
    ...base,
    db: databaseOver((statement) => io("pg", () => base.db.run(statement))),
    queue: { ...base.queue, publish: (sent) => io("queue", () => base.queue.publish(sent)) },
    outbound,
    turnFetch: fetch,
    variables: env,
    redis: createRedis(env, base.meter),
    waitingCalls: () => 0,
    calls: () => 0,
    forTurn: () => ({ ctx, leave() {} }),
  }
  const settled = async () => {
    while (background.size > 0) await Promise.all([...background])
  }
  return { ctx, died, settled, calls }
}

/**
 * Runs a runner in its own isolate until it ends or dies. After its death it sends and receives
 * nothing, but a call that was under way still has its effect.
 */
export async function runUntilDeath(
  world: World,
  { fetch, message, death }: { fetch: Fetch; message: string; death?: Death },
): Promise<{ ended: RunnerReport | "dead"; calls: Record<string, number> }> {
  const { ctx, died, calls } = createIsolate(world, { fetch, death })
  return { ended: await Promise.race([runTurns(ctx, { message, retried: 0 }), died]), calls }
}
