import type { World } from "./world.ts"

export const MINUTE_MS = 60_000

/** The calls of one run of the cron, by service. */
export type CronCalls = Record<"pg" | "redis" | "qstash", number>

/** True if the run sent no statement. */
export const isAsleep = ({ pg }: CronCalls) => pg === 0

/** The cron trigger of a world whose service sleeps (`SLEEP_WHEN_IDLE`). */
export function cronOf(world: Pick<World, "advance" | "settled" | "plan" | "sweep">) {
  /** Lets a minute pass and the cron run. */
  async function minute(): Promise<CronCalls> {
    await world.advance(MINUTE_MS)
    await world.settled()
    await world.plan([])
    await world.sweep()
    await world.settled()
    const counts: CronCalls = { pg: 0, redis: 0, qstash: 0 }
    for (const { service } of await world.plan([])) counts[service as keyof CronCalls]++
    return counts
  }

  async function until(reached: (calls: CronCalls) => boolean, most: number): Promise<number> {
    for (let minutes = 1; minutes <= most; minutes++) if (reached(await minute())) return minutes
    throw new Error(`The cron did not change within ${most} minutes.`)
  }

  return {
    minute,
    /** Lets minutes pass until the cron sleeps. Returns their number. */
    untilAsleep: () => until(isAsleep, 20),
    /** Lets minutes pass until the cron is awake. Returns their number. */
    untilAwake: () => until((calls) => !isAsleep(calls), 200),
  }
}
