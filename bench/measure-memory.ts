import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { type Attacker, attackTurn, callSite } from "./attacks.ts"
import { type HeapMeter, openHeapMeter } from "./heap-meter.ts"
import type { Options } from "./options.ts"
import { memoryMb, startCpuMeter } from "./processes.ts"
import { ISOLATE_MIB } from "./runtime.ts"
import { createSite, type Site } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const MiB = 1024 * 1024
const SAMPLE_MS = 1_000
/** One of this many samples is taken after a garbage collection, and counts as live memory. */
const PER_COLLECTION = { full: 15, smoke: 1 }
const SETTLE_MS = 500
/** The turns that a runner carries, and the large turns before each of them in its conversation. */
const CROWD = 64
const HISTORY = 12
const LARGE = "x".repeat(99_000)
const TOOL_BYTES = 200_000
const PLAIN_PER_MINUTE = 600
const MOST_TRIES = 5
const SERVED = {
  runs: true,
  split: true,
  isMeasured: true,
  accounts: 4,
  // One runner carries all turns, so that its isolate has the memory of all.
  bindings: { ALLOW_PRIVATE_TARGETS: "1", LOG_LEVEL: "silent", RUNNERS: "1" },
}

interface Sample {
  minute: number
  mib: number
}

/**
 * Measures the memory of a runner's isolate (MiB of heap and buffers) under mixed load for `--minutes`: plain turns,
 * tools with large answers, streams with readers, files, and 64 turns at once with long histories. It reports all
 * samples, and those after a garbage collection. Fails if the isolate exceeds the platform's limit.
 */
export async function measureMemory(world: BenchWorld, { minutes, size }: Options) {
  const site = await createSite(world, "memory", SERVED)
  const customer = await startCustomer(world)
  const meter = await openHeapMeter(site.runner.inspector ?? "")
  const before = await atRest(meter)
  const rss = await memoryMb(site.runner.pid)
  const cpu = await startCpuMeter({ runner: [site.runner.pid] })
  const end = performance.now() + minutes * 60_000
  const watch = watchHeap(meter, { perCollection: PER_COLLECTION[size] })
  const counts = await Promise.all([
    plainTurns(world, site, end),
    repeat(end, () => toolTurn(site, customer)),
    repeat(end, (n) => streamedTurn(site, n)),
    repeat(end, () => storeFile(site)),
    repeat(end, (n) => crowd(site, n % HISTORY)),
  ])
  const { all, live } = await watch.stop()
  const used = await cpu()
  const after = await atRest(meter)
  meter.close()
  const most = Math.max(...all.map(({ mib }) => mib))
  const [plain, tools, streams, files, crowds] = counts
  const answer = {
    minutes,
    turns: { plain, tools, streams, "in crowds": (crowds ?? 0) * CROWD },
    files,
    "heap and buffers": { ...summaryOf(all), most },
    "after a collection": summaryOf(live),
    "without turns, before and after": [before, after],
    "process, first and last": [rss, await memoryMb(site.runner.pid)],
    "runner's cores": used.cores.runner,
  }
  failBeyond(most, answer)
  return answer
}

/** The most that a runner's isolate has while it carries 64 turns with long histories, MiB. */
export async function measureFullRunner(world: BenchWorld): Promise<number> {
  const site = await createSite(world, "full", SERVED)
  const meter = await openHeapMeter(site.runner.inspector ?? "")
  const watch = watchHeap(meter, { everyMs: 100 })
  for (let n = 0; n <= HISTORY; n++) await crowd(site, n)
  const { all } = await watch.stop()
  meter.close()
  const most = Math.max(...all.map(({ mib }) => mib))
  failBeyond(most, {})
  return most
}

function failBeyond(most: number, answer: object): void {
  if (most <= ISOLATE_MIB) return
  throw new Error(`The runner's isolate had ${most} MiB of ${ISOLATE_MIB}: ${JSON.stringify(answer)}`)
}

/** MiB after a collection. */
async function atRest(meter: HeapMeter): Promise<number> {
  meter.collect()
  await pause(SETTLE_MS)
  const now = await meter.read()
  return round((now?.heap ?? 0) + (now?.buffers ?? 0), 1)
}

/** Samples until `stop`, which throws when the worker has died. */
function watchHeap(meter: HeapMeter, { everyMs = SAMPLE_MS, perCollection = PER_COLLECTION.full }) {
  const [all, live]: [Sample[], Sample[]] = [[], []]
  const began = performance.now()
  let isOver = false
  const take = async (into: Sample[]) => {
    const now = await meter.read()
    if (!now) throw new Error("The runner's isolate has died: it needed more memory than it may have.")
    into.push({ minute: (performance.now() - began) / 60_000, mib: round(now.heap + now.buffers, 1) })
  }
  const watching = (async () => {
    for (let n = 1; !isOver; n++) {
      await take(all)
      if (n % perCollection === 0) {
        meter.collect()
        await pause(SETTLE_MS)
        await take(live)
      }
      await pause(everyMs)
    }
  })()
  watching.catch(() => {})
  return {
    async stop() {
      isOver = true
      await watching
      return { all, live }
    },
  }
}

function summaryOf(samples: Sample[]) {
  const values = samples.map(({ mib }) => mib)
  const sorted = values.toSorted((a, b) => a - b)
  return {
    first: values[0],
    median: sorted[Math.floor(sorted.length / 2)],
    last: values.at(-1),
    "slope in 10 minutes": round(slopeOf(samples) * 10, 2),
  }
}

/** MiB in a minute, by least squares. */
function slopeOf(samples: Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / samples.length
  const [minute, mib] = [mean((one) => one.minute), mean((one) => one.mib)]
  const spread = samples.reduce((sum, one) => sum + (one.minute - minute) ** 2, 0)
  return spread === 0 ? 0 : samples.reduce((sum, one) => sum + (one.minute - minute) * (one.mib - mib), 0) / spread
}

async function repeat(end: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let n = 0
  for (; performance.now() < end; n++) await work(n)
  return n
}

async function plainTurns(world: BenchWorld, { runtime, accounts }: Site, end: number): Promise<number> {
  const seconds = Math.max(1, Math.round((end - performance.now()) / 1000))
  const job = { url: runtime.url, accounts: accounts.slice(0, 1), prefix: "plain", clients: 8 }
  return (await world.load.run({ ...job, seconds, perMinute: PLAIN_PER_MINUTE })).samples.length
}

function clientOf(site: Site, account: number, server = ""): Attacker {
  const { key, space } = site.accounts[account] ?? { key: "", space: "" }
  return { site, key, space, server }
}

/** A customer's server with large answers. */
async function startCustomer({ keep }: BenchWorld): Promise<string> {
  const body = JSON.stringify({ rows: "y".repeat(TOOL_BYTES) })
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(body))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  keep(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function toolTurn(site: Site, server: string): Promise<void> {
  const client = clientOf(site, 1, server)
  const tool = {
    description: "Looks rows up.",
    input_schema: { type: "object" },
    request: { method: "POST", url: `${server}/rows` },
  }
  await asked(() => callSite(client, "PUT", `/v1/spaces/${client.space}/tools/rows`, JSON.stringify(tool)))
  await attackTurn(client, "[call rows {}]\n[and call rows {}]\n[call rows {}]")
}

/** A turn whose events are read while it answers. */
async function streamedTurn(site: Site, n: number): Promise<void> {
  const client = clientOf(site, 2)
  const body = JSON.stringify({ space: client.space, end_user_ref: `stream-${n}`, text: "[stream 50 ms]\n[long 400]" })
  const sent = await callSite(client, "POST", "/v1/turns", body)
  const { turn_id } = (await sent.json()) as { turn_id: string }
  await asked(() =>
    fetch(`${site.runtime.url}/v1/turns/${turn_id}/events`, {
      headers: { authorization: `Bearer ${client.key}`, accept: "text/event-stream" },
    }),
  )
}

async function storeFile(site: Site): Promise<void> {
  const client = clientOf(site, 2)
  const sent = await callSite(client, "POST", `/v1/spaces/${client.space}/files?name=a.bin`, "z".repeat(MiB))
  const { file_id } = (await sent.json()) as { file_id: string }
  await asked(() => callSite(client, "GET", `/v1/files/${file_id}/content`))
  await asked(() => callSite(client, "DELETE", `/v1/files/${file_id}`))
  await pause(SAMPLE_MS)
}

/** 64 turns at once, each the n-th of a conversation of large texts: its history is read when it is claimed. */
async function crowd(site: Site, n: number): Promise<void> {
  const client = clientOf(site, 3)
  const turns = Array.from({ length: CROWD }, (_, user) =>
    attackTurn(client, `[think 500 ms]\n[reply Number ${n}.]\n${LARGE}`, `crowd-${user}`),
  )
  await Promise.all(turns)
}

/** Sends a request, and sends it again if the service says that it can be repeated, as a client would. */
async function asked(send: () => Promise<Response>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const response = await send()
    const text = await response.text()
    if (response.ok) return
    if (response.status !== 503 || tries === MOST_TRIES) throw new Error(text)
  }
}
