import { type Attacker, BLOCKING, callSite } from "./attacks.ts"
import { startHostileServer } from "./hostile-server.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { round, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const SERVED = { runs: true, bindings: { ALLOW_PRIVATE_TARGETS: "1", LOG_LEVEL: "silent" }, accounts: 2 }
/** In a mix, one of this number of requests is hostile. */
const ONE_IN = 5
const ROUNDS = { full: 3, smoke: 1 }

/** Measures the longest wait of an honest client during each attack, and turns in a mix with 20 % hostile requests. */
export async function measureHostile(world: BenchWorld, options: Options) {
  const hostile = await startHostileServer()
  world.keep(hostile.stop)
  return {
    longest_wait_ms: await measureWaits(world, options, hostile.url),
    ...(await measureMix(world, options, hostile.url)),
  }
}

function attackerOf(site: Site, server: string): Attacker {
  const { key, space } = site.accounts[1] ?? { key: "", space: "" }
  return { site, key, space, server }
}

/** Measures the reads of one client in the worker under attack. */
async function measureWaits(world: BenchWorld, { seconds }: Options, server: string) {
  const site = await createSite(world, "waits", SERVED)
  const attacker = attackerOf(site, server)
  const job = {
    url: site.runtime.url,
    accounts: site.accounts.slice(0, 1),
    clients: 1,
    paths: ["/v1/me"],
    prefix: "wait",
  }
  const longest = async () => {
    const { samples } = await world.load.run({ ...job, seconds })
    return { p50: timesOf(samples).p50, longest: round(Math.max(...samples), 1) }
  }
  await longest()
  const waits = [{ beside: "nothing", ...(await longest()) }]
  for (const [name, attack] of Object.entries(BLOCKING)) {
    let isOver = false
    let attacks = 0
    const attacking = (async () => {
      while (!isOver) {
        await attack(attacker)
        attacks++
      }
    })()
    const found = await longest()
    isOver = true
    await attacking
    waits.push({ beside: `${name}, ${attacks} times`, ...found })
  }
  return [...waits, { beside: "nothing again", ...(await longest()) }]
}

/** Measures a client that posts turns and waits for each, while other clients send honest or hostile requests. */
async function measureMix(world: BenchWorld, { seconds, size }: Options, server: string) {
  const site = await createSite(world, "mix", SERVED)
  const attacker = attackerOf(site, server)
  const attacks = Object.values(HOSTILE_REQUESTS)
  const without: number[] = []
  const beside: number[] = []
  await postTurns(site, { seconds: 1, hostile: async () => {} })
  for (let round = 0; round < ROUNDS[size]; round++) {
    without.push(...(await postTurns(site, { seconds })))
    let n = 0
    const hostile = async () => attacks[n++ % attacks.length]?.(attacker)
    beside.push(...(await postTurns(site, { seconds, hostile })))
  }
  const [plain, mixed] = [timesOf(without), timesOf(beside)]
  return { turns_without: plain, turns_with_20_percent: mixed, p50_ratio: round(mixed.p50 / plain.p50) }
}

/** The cheapest attacks of a client without a key or with a free key. */
const HOSTILE_REQUESTS = {
  keys: BLOCKING["121,836 fields, without a key"],
  madeUp: async (attacker: Attacker) =>
    (await callSite({ ...attacker, key: "turnpike_live_x" }, "GET", "/v1/me")).arrayBuffer(),
  pattern: BLOCKING["a pattern of 1 MB"],
  large: BLOCKING["121,836 fields, with a key"],
  wrong: async (attacker: Attacker) =>
    (await callSite(attacker, "POST", "/v1/turns", "[".repeat(900_000))).arrayBuffer(),
}

/** The times of POST /v1/turns of several clients. One in ONE_IN of their requests is hostile instead. */
async function postTurns(
  { runtime, accounts }: Site,
  { seconds, hostile }: { seconds: number; hostile?: () => Promise<unknown> },
): Promise<number[]> {
  const { key, space } = accounts[0] ?? { key: "", space: "" }
  const samples: number[] = []
  const end = performance.now() + seconds * 1000
  const client = async (name: number) => {
    for (let n = 1; performance.now() < end; n++) {
      if (hostile && (n + name) % ONE_IN === 0) {
        await hostile()
        continue
      }
      const id = crypto.randomUUID()
      const started = performance.now()
      const response = await fetch(`${runtime.url}/v1/turns`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": id },
        body: JSON.stringify({ space, end_user_ref: id, text: "Where is my order?" }),
      })
      if (response.status !== 202) throw new Error(await response.text())
      await response.arrayBuffer()
      samples.push(performance.now() - started)
    }
  }
  await Promise.all([0, 1, 2, 3].map(client))
  return samples
}
