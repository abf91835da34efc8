import type { BaseEnv } from "./env.ts"
import { type Clock, systemClock } from "./platform/clock.ts"
import { createDatabase, type Database } from "./platform/db.ts"
import { newId } from "./platform/ids.ts"
import { createLog, type Log } from "./platform/log.ts"
import { Meter } from "./platform/meter.ts"
import { createQueue, type Queue } from "./platform/queue.ts"

/** What a verb may use, built for each invocation. Nothing request-bound lives anywhere else. */
export interface Context {
  readonly brand: string
  readonly requestId: string
  readonly db: Database
  readonly queue: Queue
  readonly clock: Clock
  readonly fetch: typeof fetch
  readonly meter: Meter
  readonly log: Log
  /** Work that may go on after the answer. It must be recoverable: the worker can die before it runs. */
  background(work: Promise<unknown>): void
}

export interface Overrides {
  clock?: Clock
  fetch?: typeof fetch
}

export function createContext(
  env: BaseEnv,
  waitUntil: (work: Promise<unknown>) => void,
  overrides: Overrides = {},
): Context {
  const clock = overrides.clock ?? systemClock
  const requestId = newId("request", clock.now())
  const meter = new Meter()
  const log = createLog(env, { request_id: requestId })
  return {
    brand: env.BRAND,
    requestId,
    db: createDatabase(env, meter),
    queue: createQueue(env, meter),
    clock,
    fetch: overrides.fetch ?? ((input, init) => fetch(input, init)),
    meter,
    log,
    background: waitUntil,
  }
}
