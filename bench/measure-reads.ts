import type { Options } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { createSite } from "./site.ts"
import { round, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const ROUNDS = { full: 3, smoke: 1 }
const CLIENTS = 8
const TURNS = { full: 200, smoke: 20 }
/** How many clients send turns at the same time. */
const SENDERS = [1, 16, 64]

/** The cost of reads of the API, in ms of the processor for each request. Rounds of all of them alternate. */
export async function measureReads(world: BenchWorld, { seconds, size }: Options) {
  const site = await createSite(world, "reads", { runs: true })
  const { runtime, accounts } = site
  const job = { url: runtime.url, accounts, prefix: "reads", clients: CLIENTS }
  await world.load.run({ ...job, count: TURNS[size] })
  const isDone = async () => {
    const [row] = await site.sql<{ open: number }>("select count(*)::int as open from open_turns")
    return row?.open === 0
  }
  while (!(await isDone())) await new Promise((done) => setTimeout(done, 100))
  const turns = await site.sql<{ turn_id: string }>("select turn_id from turns limit $1", [TURNS[size]])
  const paths: Record<string, string[]> = {
    "a turn": turns.map(({ turn_id }) => `/v1/turns/${turn_id}`),
    "the key": ["/v1/me"],
    "20 turns": ["/v1/turns?limit=20"],
  }
  const costs = new Map<string, Record<string, number>[]>()
  for (let nth = 0; nth <= ROUNDS[size]; nth++) {
    for (const [name, some] of Object.entries(paths)) {
      const meter = await startCpuMeter(site.groups)
      const { samples } = await world.load.run({ ...job, paths: some, seconds })
      const { cpu } = await meter()
      const each = (group: string) => round(((cpu[group] ?? Number.NaN) * 1000) / samples.length, 2)
      const cost = { worker: each("worker"), postgres: each("postgres"), p50: timesOf(samples).p50 }
      // The first round only warms up.
      if (nth > 0) costs.set(name, [...(costs.get(name) ?? []), cost])
    }
  }
  return Object.fromEntries([...costs].map(([name, rounds]) => [name, middleOf(rounds)]))
}

function middleOf(rounds: readonly Record<string, number>[]) {
  const names = Object.keys(rounds[0] ?? {})
  const sorted = (name: string) => rounds.map((one) => one[name] ?? Number.NaN).sort((a, b) => a - b)
  return Object.fromEntries(names.map((name) => [name, sorted(name)[rounds.length >> 1]]))
}

/** Accepts a second while the same turns run, with few and many clients, whose rounds alternate. */
export async function measureSenders(world: BenchWorld, { seconds, size }: Options) {
  const site = await createSite(world, "senders", { runs: true })
  const job = { url: site.runtime.url, accounts: site.accounts, prefix: "senders" }
  const rates = new Map<number, number[]>()
  for (let nth = 0; nth <= ROUNDS[size]; nth++) {
    for (const clients of SENDERS) {
      const result = await world.load.run({ ...job, clients, seconds })
      if (nth > 0) rates.set(clients, [...(rates.get(clients) ?? []), result.samples.length / result.seconds])
    }
  }
  const middle = (all: number[]) => round([...all].sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN, 0)
  return Object.fromEntries([...rates].map(([clients, all]) => [`${clients} clients, accepts a second`, middle(all)]))
}
