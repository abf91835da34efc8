import type { Options } from "./options.ts"
import { memoryMb, startCpuMeter } from "./processes.ts"
import { round } from "./statistics.ts"
import type { Site, World } from "./world.ts"

const WAIT_MS = 120_000
const BATCH = 10_000

/** Turns from POST to done, every one in a conversation of its own; the clock stops when the last one is done. */
export async function measureTurns(world: World, { seconds, clients }: Options, accounts: number, split = false) {
  const site = await world.site("turns", { runs: true, accounts, split })
  const { url } = site.runtime
  const job = { url, accounts: site.accounts, prefix: "turn", clients }
  await world.load.run({ ...job, seconds: 1 })
  await untilDone(site)
  const before = await countDone(site)
  const cpu = await startCpuMeter(site.pids)
  const began = performance.now()
  const { seconds: accepting, samples, cores } = await world.load.run({ ...job, seconds: seconds * 2 })
  await untilDone(site)
  const elapsed = (performance.now() - began) / 1000
  const used = { ...(await cpu()), generator: round(cores) }
  const finished = (await countDone(site)) - before
  return {
    accounts,
    finished_per_second: round(finished / elapsed, 0),
    accepted_per_second: round(samples.length / accepting, 0),
    finished,
    cores: used,
  }
}

/** The runtime's memory while turns run through it in steps of 10,000. */
export async function measureMemory(world: World, { turns, clients }: Options) {
  const site = await world.site("memory", { runs: true })
  const { url, pid } = site.runtime
  const points = [{ turns: 0, mb: await memoryMb(pid), finished_per_second: 0 }]
  for (let ran = 0; ran < turns; ) {
    const count = Math.min(BATCH, turns - ran)
    const began = performance.now()
    await world.load.run({ url, accounts: site.accounts, prefix: "memory", clients, count })
    await untilDone(site)
    ran += count
    const finished_per_second = round((count * 1000) / (performance.now() - began), 0)
    points.push({ turns: ran, mb: await memoryMb(pid), finished_per_second })
  }
  // The first batch fills caches and the heap's young generation; from then on nothing may pile up.
  const [settled, last] = [points[1]?.mb ?? 0, points.at(-1)?.mb ?? 0]
  return { points, flat: last <= settled * 1.15 }
}

async function countDone(site: Site): Promise<number> {
  const rows = await site.sql<{ n: string }>("select count(*) as n from turns where state = 'done'")
  return Number(rows[0]?.n)
}

async function untilDone(site: Site): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    // The partial index on what is still open: cheap to ask often.
    const open = await site.sql("select 1 from open_turns limit 1")
    if (open.length === 0) break
    if (performance.now() > deadline) throw new Error("Turns are left over: the queue has lost some.")
    await new Promise((done) => setTimeout(done, 20))
  }
  const other = await site.sql("select state, error_code, count(*) from turns where state <> 'done' group by 1, 2")
  if (other.length > 0) throw new Error(`Not all turns are done: ${JSON.stringify(other)}`)
}
