import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import pg from "pg"
import { type Context, createContext } from "../src/actor/context.ts"
import { parseBaseEnv } from "../src/base/env.ts"
import { answerOf } from "../src/local/provider-models.ts"
import { sweepTurns } from "../src/runs/sweep-turns.ts"
import type { BenchAccount } from "./load.ts"
import type { Options } from "./options.ts"
import { createSite, type Site, useBenchModel } from "./site.ts"
import { round, secondsSince, timesOf } from "./statistics.ts"
import { BRAND, contextOver, readVerbs, TYPES, type Verbs } from "./verbs.ts"
import type { BenchWorld } from "./world.ts"

const ACCOUNTS = 16
const CONNECTIONS = 8
const LOOK_MS = 1000
const PAUSE_MS = 250
/** `downMs`: longer than QStash retries a delivery, so that the first messages become dead letters. */
const SIZES = {
  full: { sweepMs: 60_000, normalMs: 10_000, downMs: 120_000 },
  smoke: { sweepMs: 2_000, normalMs: 500, downMs: 2_000 },
}

type Part = "queue" | "database" | "provider"

/** A proxy for a part of the service. It is down while `isDown` is true. */
interface Door {
  url: string
  isDown: boolean
}

/**
 * Measures the recovery after an outage. Turns (`--stored`) of 16 accounts are accepted and never published; then
 * sweeps run every minute and one worker runs them all. An outage of the database or provider starts with the first
 * messages, and the time counts from its end. Another account's turns are measured during that and before.
 */
export async function measureOutage(world: BenchWorld, { stored: turns, size }: Options, part: Part) {
  const { sweepMs, normalMs, downMs } = SIZES[size]
  const [database, model] = [{ url: "", isDown: false }, await startModel(world)]
  const site = await createSite(world, `outage_${part}`, {
    runs: true,
    accounts: ACCOUNTS + 1,
    bindings: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "bench", LOG_LEVEL: "silent" },
    ...(part === "database" && { databaseAt: (url) => startDoor(world, url, database) }),
  })
  if (part === "provider") await useBenchModel(site)
  const sixteen = site.accounts.slice(0, ACCOUNTS).map(({ userId }) => userId)
  const verbs = await readVerbs(world.version)
  const pool = new pg.Pool({ connectionString: site.databaseUrl, max: CONNECTIONS, types: TYPES })
  world.keep(() => pool.end())
  const ctx = contextOver(verbs, pool)
  const other = site.accounts[ACCOUNTS] as BenchAccount
  const normalUntil = performance.now() + normalMs
  const normal = await sendDuring(site, other, "normal", () => performance.now() > normalUntil)
  const accepting = performance.now()
  await acceptAll(verbs, ctx, site, turns)
  const acceptSeconds = secondsSince(accepting, 1)
  await pause(sweepMs)

  const env = parseBaseEnv({ ...site.env, CALLBACKS_URL: site.runtime.url, FILES: {} })
  const { queue } = createContext(env, () => {})
  const down = part === "database" ? database : model
  const sweeps: { called: boolean; seconds: number }[] = []
  const sweepsUntil = { isOver: false }
  const isDown = () => part === "database" && database.isDown
  const sweeping = sweepOften({ ...ctx, queue }, { until: sweepsUntil, everyMs: sweepMs, isDown }, sweeps)
  if (part !== "queue") {
    // The first messages are out.
    if (part === "database") await pause(sweepMs / 4)
    down.isDown = true
    await pause(downMs)
    down.isDown = false
  }

  const left = await countOpen(site, sixteen)
  const back = performance.now()
  const others = sendDuring(site, other, "during", () => sweepsUntil.isOver)
  while ((await countOpen(site, sixteen)) > 0) await pause(LOOK_MS)
  const seconds = (performance.now() - back) / 1000
  sweepsUntil.isOver = true
  await sweeping
  const [ends] = await site.sql(
    `select count(*) filter (where t.state = 'done') as done, count(*) filter (where t.state = 'failed') as failed,
       count(*) filter (where t.state not in ('done', 'failed')) as others,
       (select count(*) from usage u where u.user_id = any ($1)) as calls
     from turns t where t.user_id = any ($1)`,
    [sixteen],
  )
  const called = sweeps.filter((sweep) => sweep.called).length
  return {
    turns,
    "accepted in seconds": acceptSeconds,
    ...(part !== "queue" && { "down for seconds": downMs / 1000 }),
    "left to end": left,
    "all ended after seconds": round(seconds, 1),
    // A few turns can all end with the first messages.
    "ended per second": left === 0 ? null : round(left / seconds, 0),
    ends,
    "sweeps, and the longest in seconds": `${sweeps.length}, ${Math.max(0, ...sweeps.map((sweep) => sweep.seconds))}`,
    "sweeps that called a runner": called,
    "another account, as usual": timesOf(normal),
    "another account, during that": timesOf(await others),
  }
}

async function sweepOften(
  ctx: Context,
  { until, everyMs, isDown }: { until: { isOver: boolean }; everyMs: number; isDown: () => boolean },
  sweeps: { called: boolean; seconds: number }[],
): Promise<void> {
  for (let next = performance.now(); !until.isOver; await pause(PAUSE_MS)) {
    if (performance.now() < next) continue
    next += everyMs
    if (isDown()) continue
    const at = performance.now()
    const { called } = await sweepTurns(ctx)
    sweeps.push({ called, seconds: secondsSince(at, 1) })
  }
}

async function countOpen({ sql }: Site, userIds: number[]): Promise<number> {
  const [row] = await sql<{ open: number }>(
    "select count(*)::integer as open from open_turns o where o.user_id = any ($1)",
    [userIds],
  )
  return row?.open ?? 0
}

/** Accepts the turns by calling the procedure, without publishing them. */
async function acceptAll(verbs: Verbs, ctx: Context, { accounts }: Site, turns: number): Promise<void> {
  let next = 0
  const accept = async () => {
    for (let n = next++; n < turns; n = next++) {
      const account = accounts[n % ACCOUNTS]
      const credential = verbs.parseApiKey(account?.key ?? "", BRAND)
      if (!account || !credential) throw new Error("A turn needs an account.")
      const id = `outage-${n}`
      const body = verbs.createTurnSchema.parse({ space: account.space, end_user_ref: id, text: "Where is my order?" })
      await verbs.acceptTurn(ctx, credential, { idempotencyKey: id, body })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, accept))
}

/** Milliseconds from each POST of an account that has no other turns until it is done. */
export async function sendDuring(
  { runtime }: Site,
  { key, space }: BenchAccount,
  prefix: string,
  isOver: () => boolean,
): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const samples: number[] = []
  for (let n = 0; !isOver(); n++) {
    const id = `${prefix}-${n}`
    const body = JSON.stringify({ space, end_user_ref: id, text: "Where is my order?" })
    const began = performance.now()
    const post = { method: "POST", headers: { ...headers, "idempotency-key": id }, body }
    const { turn_id } = (await (await fetch(`${runtime.url}/v1/turns`, post)).json()) as { turn_id: string }
    for (let state = "queued"; state === "queued" || state === "running"; ) {
      const looked = await fetch(`${runtime.url}/v1/turns/${turn_id}?wait=30`, { headers })
      state = ((await looked.json()) as { state: string }).state
    }
    samples.push(performance.now() - began)
    await pause(PAUSE_MS)
  }
  return samples
}

/** Starts a model provider that responds at once. */
async function startModel({ keep }: BenchWorld): Promise<Door> {
  const door: Door = { url: "", isDown: false }
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (door.isDown) return void response.writeHead(503).end()
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(answerOf("completions", "bench", "bench", true))
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  keep(() => new Promise((done) => server.close(done)))
  door.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return door
}

/** Starts a proxy of the database that can be cut off. Returns its URL. */
async function startDoor({ keep }: BenchWorld, databaseUrl: string, door: Door): Promise<string> {
  const url = new URL(databaseUrl)
  const [host, port] = [url.hostname, Number(url.port)]
  const open = new Set<Socket>()
  const server = createTcpServer((socket) => {
    if (door.isDown) return void socket.destroy()
    const behind = connect(port, host)
    for (const [one, other] of [[socket, behind] as const, [behind, socket] as const]) {
      open.add(one)
      one.on("error", () => {}).on("close", () => open.delete(one) && other.destroy())
      one.pipe(other)
    }
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const cut = setInterval(() => {
    if (door.isDown) for (const socket of open) socket.destroy()
  }, PAUSE_MS)
  keep(async () => {
    clearInterval(cut)
    for (const socket of open) socket.destroy()
    await new Promise((done) => server.close(done))
  })
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  return url.href
}
