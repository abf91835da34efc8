import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { openHeapMeter } from "./heap-meter.ts"
import type { BenchAccount } from "./load.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { round, secondsSince, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

/** `limits`: how many messages the queue delivers at once. `turns`, `ms`: the crowd. `each`: turns of an account. */
const SIZES = {
  full: { limits: [10, 100, 1_000], turns: 2_000, ms: 20_000, accounts: 16, each: 150 },
  smoke: { limits: [10], turns: 20, ms: 1_000, accounts: 2, each: 20 },
}
const SENDERS = 16
/** So long that all turns are accepted before half of them are finished. */
const SHARED = "[think 3000 ms]"

/** The worker's shares of the messages that the queue's plan delivers at once. */
const sharesOf = (limit: number) => ({
  RUNNERS: `${Math.max(1, Math.floor(limit * 0.4))}`,
  WEBHOOK_RUNS: `${Math.max(1, Math.floor(limit * 0.3))}`,
})

/**
 * Measures how long new turns and their webhooks wait while an account has 2,000 turns of 20 s queued, for another
 * account and for another end user of the account. Also measures how many turns run at once in one workerd. It repeats
 * this for the parallelism of each plan of the queue.
 */
export async function measureCrowd(world: BenchWorld, { size }: Options) {
  const { limits, ...crowd } = SIZES[size]
  const rows = []
  for (const limit of limits) rows.push(await measureLimit(world, limit, crowd))
  return { limits: rows }
}

async function measureLimit(world: BenchWorld, limit: number, { turns, ms }: { turns: number; ms: number }) {
  const long = `[think ${ms} ms]`
  const receiver = await startReceiver(world)
  const site = await createSite(world, `crowd_${limit}`, {
    runs: true,
    accounts: 2,
    isMeasured: true,
    queueLimit: limit,
    bindings: { ...sharesOf(limit), TURN_SLOTS: "10000", END_USER_TURN_SLOTS: "9000", ALLOW_PRIVATE_TARGETS: "1" },
  })
  const [crowd, other] = site.accounts as [BenchAccount, BenchAccount]
  await post(site, other, "/v1/webhooks", { url: receiver, events: ["turn.done"] })
  const began = performance.now()
  await sendAll(site, crowd, turns, long, () => "crowd")
  const queued = secondsSince(began, 1)
  const running: number[] = []
  const heaps: number[] = []
  const meter = await openHeapMeter(site.runtime.inspector ?? "")
  const waiting = { "another account": [] as string[], "another end user": [] as string[] }
  const until = performance.now() + ms * 2
  while (performance.now() < until) {
    waiting["another account"].push(await send(site, other, "hello", "new"))
    waiting["another end user"].push(await send(site, crowd, "hello", `new-${running.length}`))
    await pause(500)
    const [row] = await site.sql<{ count: number }>(
      "select count(*)::int as count from open_turns where state = 'running' and wake_at > now()",
    )
    running.push(row?.count ?? 0)
    const usage = await meter.read()
    heaps.push(usage?.heap ?? Number.POSITIVE_INFINITY)
  }
  meter.close()
  const waits = async (ids: string[]) =>
    timesOf(
      (
        await site.sql<{ ms: number }>(
          "select extract(epoch from coalesce(started_at, now()) - created_at)::float8 * 1000 as ms from turns where turn_id = any ($1)",
          [ids],
        )
      ).map(({ ms }) => ms),
    )
  const webhooks = await site.sql<{ ms: number }>(
    `select extract(epoch from coalesce(d.finished_at, now()) - t.created_at)::float8 * 1000 as ms
     from webhook_deliveries d join turns t on t.turn_id = d.turn_id where t.user_id = $1`,
    [other.userId],
  )
  const [ended] = await site.sql<{ count: number }>(
    "select count(*)::int as count from turns where state = 'done' and user_id = $1 and text = $2",
    [crowd.userId, long],
  )
  return {
    limit,
    "all accepted in seconds": queued,
    "most at once": Math.max(...running),
    "of the long ones ended": ended?.count,
    "another account starts after": await waits(waiting["another account"]),
    "its webhook after": timesOf(webhooks.map(({ ms }) => ms)),
    "another end user starts after": await waits(waiting["another end user"]),
    "most MiB on the heap": round(Math.max(...heaps), 0),
  }
}

/**
 * Jain's fairness index of the finished turns of 16 accounts with equally many turns, when half of all are finished.
 */
export async function measureShares(world: BenchWorld, { size }: Options) {
  const { accounts, each } = SIZES[size]
  const site = await createSite(world, "shares", {
    runs: true,
    accounts,
    queueLimit: 10,
    bindings: sharesOf(10),
  })
  await Promise.all(site.accounts.map((account) => sendAll(site, account, each, SHARED, (n) => `customer-${n % 7}`)))
  const doneOf = async () =>
    (
      await site.sql<{ count: number }>(
        "select count(t.turn_id)::int as count from users u left join turns t on t.user_id = u.user_id and t.state = 'done' group by u.user_id having u.user_id = any ($1)",
        [site.accounts.map(({ userId }) => userId)],
      )
    ).map(({ count }) => count)
  let done = await doneOf()
  while (sum(done) < (accounts * each) / 2) {
    await pause(100)
    done = await doneOf()
  }
  const jain = sum(done) ** 2 / (done.length * sum(done.map((count) => count ** 2)))
  return { accounts, turns_of_each: each, done, "Jain's index": round(jain, 4) }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

async function sendAll(site: Site, account: BenchAccount, count: number, text: string, endUser: (n: number) => string) {
  let next = 0
  const sender = async () => {
    for (let n = next++; n < count; n = next++) await send(site, account, text, endUser(n))
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
}

let sent = 0

async function send(site: Site, account: BenchAccount, text: string, end_user_ref: string): Promise<string> {
  const conversation = `c${sent++}`
  const body = { space: account.space, end_user_ref, conversation, text }
  const { turn_id } = (await post(site, account, "/v1/turns", body)) as { turn_id: string }
  return turn_id
}

async function post({ runtime }: Site, { key }: BenchAccount, path: string, body: object): Promise<unknown> {
  const response = await fetch(`${runtime.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": `fair-${sent++}`,
    },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

/** Starts a customer's server that accepts every event. */
async function startReceiver({ keep }: BenchWorld): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => void response.writeHead(200).end())
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  keep(() => new Promise((done) => server.close(done)))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
