import type { Options } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { createSite, startBareWorker } from "./site.ts"
import { round, type Times, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const ROUNDS = { full: 4, smoke: 1 }

interface Rate extends Times {
  per_second: number
  generator_cores: number
  cores: Record<string, number>
}

/**
 * Compares POST /v1/turns with a minimal worker that inserts one row. Rounds alternate, so other load on the machine
 * affects both. The turns are published but not delivered, because running them is measured separately.
 */
export async function measureAccepts(world: BenchWorld, options: Options, accounts: number, capped = false) {
  const { seconds, acceptClients: clients, size } = options
  const site = await createSite(world, `accepts${accounts}`, { runs: false, accounts, capped })
  const bare = await startBareWorker(world, site)
  const targets = {
    accept: { url: site.runtime.url, groups: site.groups },
    bare: { url: bare.url, groups: { ...site.groups, worker: [bare.pid] } },
  }
  const rounds: Record<keyof typeof targets, Rate[]> = { accept: [], bare: [] }
  const samples: Record<keyof typeof targets, number[]> = { accept: [], bare: [] }
  for (let i = -1; i < ROUNDS[size]; i++) {
    for (const name of ["accept", "bare"] as const) {
      const { url, groups } = targets[name]
      const meter = await startCpuMeter(groups)
      const result = await world.load.run({ url, accounts: site.accounts, prefix: name, clients, seconds })
      const { cores } = await meter()
      // The first round only warms up compilers, connections and caches.
      if (i < 0) continue
      samples[name].push(...result.samples)
      const per_second = round(result.samples.length / result.seconds, 0)
      rounds[name].push({ per_second, ...timesOf(result.samples), generator_cores: round(result.cores), cores })
    }
  }
  const total = (name: keyof typeof targets) => {
    const per_second = round(rounds[name].reduce((sum, one) => sum + one.per_second, 0) / ROUNDS[size], 0)
    const last = rounds[name].at(-1)
    const use = { ...last?.cores, generator: last?.generator_cores ?? 0 }
    return { per_second, ...timesOf(samples[name]), rounds: rounds[name].map((one) => one.per_second), cores: use }
  }
  const [accept, plain] = [total("accept"), total("bare")]
  return { accounts, clients, accept, bare: plain, ratio: round(accept.per_second / plain.per_second) }
}
