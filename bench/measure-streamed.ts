import { startChild } from "./child.ts"
import { openHeapMeter } from "./heap-meter.ts"
import { timeTurns } from "./measure-turns.ts"
import type { ModelQuestion } from "./model-process.ts"
import type { Options } from "./options.ts"
import { profiled } from "./profile.ts"
import { createSite, useBenchModel } from "./site.ts"
import type { BenchWorld } from "./world.ts"

const ANSWER: ModelQuestion = { pieces: 200, ms: 2000 }
const CLIENTS = { full: 64, smoke: 4 }
/** About the maximum of one core. */
const PER_MINUTE = 600
const SAMPLE_MS = 100

/** Measures turns of a real engine, whose model streams an answer of 200 pieces for two seconds. */
export async function measureStreamed(world: BenchWorld, options: Options) {
  const model = startChild("model-process.ts", {})
  world.keep(model.stop)
  const url = await model.ask<string>(ANSWER)
  const bindings = { OPENAI_BASE_URL: url, OPENAI_API_KEY: "bench", TURN_SLOTS: "1000", END_USER_TURN_SLOTS: "1000" }
  const site = await createSite(world, "streamed", { runs: true, accounts: 4, bindings, isMeasured: true })
  await useBenchModel(site)
  const heap = await openHeapMeter(site.runtime.inspector ?? "")
  let most = 0
  let mib = 0
  const sample = async () => {
    const [row] = await site.sql<{ running: number }>(
      "select count(*)::integer as running from turns where state = 'running'",
    )
    most = Math.max(most, row?.running ?? 0)
    mib = Math.max(mib, (await heap.read())?.heap ?? 0)
  }
  // The last sample may still be running when the world ends.
  const sampler = setInterval(() => void sample().catch(() => {}), SAMPLE_MS)
  const pace = { ...options, clients: CLIENTS[options.size], perMinute: PER_MINUTE }
  try {
    const figures = await profiled(options, site, () => timeTurns(world, site, pace))
    return { ...figures, running_at_once: most, heap_mib: Math.round(mib) }
  } finally {
    clearInterval(sampler)
    heap.close()
  }
}
