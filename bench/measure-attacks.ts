import { type Attack, type Attacker, attackTurn, BLOCKING } from "./attacks.ts"
import { type Heap, type HeapMeter, openHeapMeter } from "./heap-meter.ts"
import { HOARDS } from "./hoards.ts"
import { startHostileServer } from "./hostile-server.ts"
import type { Options } from "./options.ts"
import { memoryMb } from "./processes.ts"
import { createSite, type Site } from "./site.ts"
import { round, secondsSince } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const SAMPLE_MS = 25
const SETTLE_MS = 500
/** The longest wait for an attack. */
const MOST_MS = 40_000
/** `isShared`: all attacks have one worker, which starts once. The later hoards could end it, so smoke omits them. */
const SIZES = {
  full: { warmTurns: 20, isShared: false, hoards: Number.POSITIVE_INFINITY },
  smoke: { warmTurns: 1, isShared: true, hoards: 6 },
}
const SERVED = {
  runs: true,
  accounts: 2,
  isMeasured: true,
  bindings: { ALLOW_PRIVATE_TARGETS: "1", LOG_LEVEL: "silent" },
}

/**
 * Measures the memory that each attack takes in its own worker, and the slowest read of another account at the same
 * time. The heap has the platform's limit; a worker that exceeds it ends, and its row says so. Memory is the maximum in
 * MiB above the idle worker, of the isolate (heap with garbage, and buffers) and of the process.
 */
export async function measureAttacks(world: BenchWorld, { seconds, size }: Options) {
  const { warmTurns, isShared, hoards } = SIZES[size]
  const hostile = await startHostileServer()
  world.keep(hostile.stop)
  const shared = isShared ? await createSite(world, "attacks", SERVED) : null
  const attacks = []
  const repeated = Object.entries(BLOCKING).map(([name, attack]) => [name, repeat(attack, seconds)] as const)
  for (const [attack, make] of [...repeated, ...Object.entries(HOARDS).slice(0, hoards)]) {
    const closers: (() => Promise<unknown>)[] = []
    const keep = (close: () => Promise<unknown>) => void closers.push(close)
    try {
      const site = shared ?? (await createSite({ ...world, keep }, "attacks", SERVED))
      const row = { attack, ...(await measureOne(world, site, { make, server: hostile.url, seconds, warmTurns })) }
      // All attacks take minutes, so this shows the progress.
      console.error(JSON.stringify(row))
      attacks.push(row)
    } finally {
      for (const close of closers.reverse()) await close()
    }
  }
  return { attacks }
}

async function measureOne(
  world: BenchWorld,
  site: Site,
  { make, server, seconds, warmTurns }: { make: Attack; server: string; seconds: number; warmTurns: number },
) {
  const { key, space } = site.accounts[1] ?? { key: "", space: "" }
  const attacker: Attacker = { site, key, space, server }
  // Opened first, because the first read of an inspector stops the worker for half a second.
  const meter = await openHeapMeter(site.runtime.inspector ?? "")
  // Warms up, so that the code is compiled and the young generation of the heap has its size.
  for (let n = 0; n < warmTurns; n++) await attackTurn(attacker, "hello")
  await readFor(world, site, 1)
  // Memory is watched here too, so that watching does not affect the comparison.
  const idle = await watchMemory(site, meter)
  const alone = await readFor(world, site, seconds)
  await idle.stop()
  const watch = await watchMemory(site, meter)
  const began = performance.now()
  const outcome: { ended?: string } = {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>((done) => {
    timer = setTimeout(() => done(`after ${MOST_MS / 1000} s`), MOST_MS)
  })
  let times: unknown = 1
  const made = make(attacker).then((count) => {
    times = count ?? 1
    return ""
  }, String)
  const attacking = Promise.race([made, late]).then((how) => {
    outcome.ended = how
  })
  let beside = 0
  while (outcome.ended === undefined)
    beside = Math.max(beside, await readFor(world, site, 1).catch(() => Number.POSITIVE_INFINITY))
  await attacking
  clearTimeout(timer)
  const took = secondsSince(began, 1)
  const memory = await watch.stop()
  meter.close()
  return {
    times,
    ...memory,
    wait_alone: alone,
    wait_beside: beside,
    seconds: took,
    ...(outcome.ended && { cut: outcome.ended }),
  }
}

/** Repeats the attack for this number of seconds. Returns the number of attacks. */
const repeat =
  (attack: Attack, seconds: number): Attack =>
  async (attacker) => {
    const end = performance.now() + seconds * 1000
    let times = 0
    for (; performance.now() < end; times++) await attack(attacker)
    return times
  }

/** The duration of the slowest read of the other account's client, in ms. */
async function readFor(world: BenchWorld, { runtime, accounts }: Site, seconds: number): Promise<number> {
  const job = { url: runtime.url, accounts: accounts.slice(0, 1), clients: 1, paths: ["/v1/me"], prefix: "read" }
  const { samples } = await world.load.run({ ...job, seconds })
  return round(Math.max(...samples), 0)
}

/** Watches the maximum memory of a worker until `stop`, relative to its memory now. */
async function watchMemory({ runtime }: Site, meter: HeapMeter) {
  // Garbage of earlier turns would hide the memory of the attack.
  meter.collect()
  await new Promise((done) => setTimeout(done, SETTLE_MS))
  const nothing: Heap = (await meter.read()) ?? { heap: 0, buffers: 0 }
  const process = await memoryMb(runtime.pid)
  const most = { isolate: 0, heap: 0, buffers: 0, process: 0 }
  const note = (name: keyof typeof most, mib: number) => {
    most[name] = Math.max(most[name], round(mib, 0))
  }
  let [isOver, died] = [false, false]
  const watching = (async () => {
    while (!isOver) {
      const now = await meter.read()
      died = now === null
      if (!now) return
      note("isolate", now.heap + now.buffers - nothing.heap - nothing.buffers)
      note("heap", now.heap - nothing.heap)
      note("buffers", now.buffers - nothing.buffers)
      note("process", (await memoryMb(runtime.pid)) - process)
      await new Promise((done) => setTimeout(done, SAMPLE_MS))
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return { ...most, idle: round(nothing.heap + nothing.buffers, 0), ...(died && { died }) }
    },
  }
}
