import type { Options } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { profiled } from "./profile.ts"
import { createSite, type Site } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const WAIT_MS = 120_000
const WARM_SECONDS = 1
/** More turns a second than any machine finishes: says how soon counting again makes sense. */
const MOST_PER_MS = 2

/** `perMinute`: the maximum of turns per minute; 0 for as many as possible. */
type Pace = Pick<Options, "seconds" | "clients"> & { perMinute?: number; text?: string }

/** Measures turns with v1 and callbacks as separate workers (`split`), or with one worker for all groups. */
export async function measureTurns(world: BenchWorld, options: Options, accounts: number, split = false) {
  const site = await createSite(world, "turns", {
    runs: true,
    accounts,
    split,
    isMeasured: options.profile !== undefined,
  })
  return profiled(options, site, () => timeTurns(world, site, options))
}

/** Measures turns from POST to done, each in its own conversation. The time ends when the last one is done. */
export async function timeTurns(world: BenchWorld, site: Site, { seconds, clients, perMinute = 0, text }: Pace) {
  const job = {
    url: site.runtime.url,
    accounts: site.accounts,
    prefix: "turn",
    clients,
    perMinute,
    ...(text && { text }),
  }
  const before = (await countTurns(site)).done
  const warm = await world.load.run({ ...job, seconds: Math.min(seconds, WARM_SECONDS) })
  await untilDone(site, before + warm.samples.length)
  const meter = await startCpuMeter(site.groups)
  const began = performance.now()
  const { seconds: accepting, samples, cores } = await world.load.run({ ...job, seconds: seconds * 2 })
  await untilDone(site, before + warm.samples.length + samples.length)
  const elapsed = (performance.now() - began) / 1000
  const used = await meter()
  const msPerTurn = (cpuSeconds: number) => round((cpuSeconds * 1000) / samples.length)
  const generator = round((cores * accepting) / elapsed)
  return {
    accounts: site.accounts.length,
    finished_per_second: round(samples.length / elapsed, 0),
    accepted_per_second: round(samples.length / accepting, 0),
    finished: samples.length,
    cpu_ms_per_turn: {
      ...Object.fromEntries(Object.entries(used.cpu).map(([name, value]) => [name, msPerTurn(value)])),
      generator: msPerTurn(cores * accepting),
    },
    cores: { ...used.cores, generator },
  }
}

export async function countTurns({ sql }: Site): Promise<{ done: number; lost: number }> {
  const rows = await sql<{ done: number; lost: number }>(
    `select (count(*) filter (where state = 'done'))::integer as done,
       (count(*) filter (where state in ('failed', 'cancelled')))::integer as lost from turns`,
  )
  return rows[0] ?? { done: 0, lost: 0 }
}

/** Waits until this number of turns is done. Counts less often while many are left, so that counting is no load. */
async function untilDone(site: Site, count: number): Promise<void> {
  let deadline = performance.now() + WAIT_MS
  for (let known = 0; ; ) {
    const { done, lost } = await countTurns(site)
    if (lost > 0) throw new Error(`${lost} turns did not end as done.`)
    if (done >= count) return
    if (done > known) deadline = performance.now() + WAIT_MS
    known = done
    if (performance.now() > deadline)
      throw new Error(`${count - done} turns are not done, because the queue lost messages.`)
    await new Promise((resolve) => setTimeout(resolve, Math.max(10, (count - done) / MOST_PER_MS)))
  }
}
