import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import { reconcileNow } from "../src/billing/reconcile.ts"
import { withClient } from "../src/local/databases.ts"
import type { startDevServer } from "../src/local/dev-server.ts"
import { directContext } from "../src/ops/direct.ts"
import { markRestored } from "../src/ops/restored.ts"
import type { BenchAccount } from "./load.ts"
import type { Options } from "./options.ts"
import { createSite, restoreSite, type Site } from "./site.ts"
import { secondsSince } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const run = promisify(execFile)
/** The backup is made after `atBackup` turns were sent, the disaster happens after twice as many. */
const SIZES = { full: { count: 120, atBackup: 40 }, smoke: { count: 12, atBackup: 4 } }
const CLIENTS = 8
const TEXT = "[think 1500 ms]\n[reply done]"
const CRON_MS = 2_000
const PATIENCE_MS = 420_000

type Server = Awaited<ReturnType<typeof startDevServer>>

/**
 * The restore drill: backs up a running service by pg_dump, loses it, restores the backup into a new database, and
 * starts the service on it with an empty queue and an empty Redis. Throws if a turn does not end, is billed twice or is
 * lost, if a webhook does not arrive, or if the reconciliation finds something.
 */
export async function measureRestore(world: BenchWorld, { size }: Options) {
  const { count, atBackup } = SIZES[size]
  const reason = await whyNoDump(world)
  if (reason) return { skipped: reason }
  const receiver = await startReceiver(world)
  const before = await createSite(world, "drill", { runs: true, bindings: { ALLOW_PRIVATE_TARGETS: "1" } })
  const [account] = before.accounts as [BenchAccount]
  await ask(before, account, "POST", "/v1/webhooks", { url: receiver.url, events: ["turn.done"] })
  await until("the webhook is verified", async () => {
    const [row] = await before.sql<{ is_on: boolean }>("select verified_at is not null as is_on from webhook_endpoints")
    return row?.is_on ?? false
  })

  await sendTurns(before, account, 0, atBackup)
  const cursor = await lastCursor(before, account)
  const backup = join(world.dataDir, "drill.dump")
  const dumping = performance.now()
  const [dump] = await Promise.all([
    run("pg_dump", ["--format=custom", "--no-owner", `--file=${backup}`, before.databaseUrl]),
    sendTurns(before, account, atBackup, 2 * atBackup),
  ])
  const dumpSeconds = secondsSince(dumping, 1)
  if (dump.stderr) throw new Error(dump.stderr)
  // The disaster. What was delivered until now was delivered.
  await (before.runtime as unknown as Server).stop()
  const delivered = receiver.count()

  const restoring = performance.now()
  const after = await restoreSite(world, before, async (url) => {
    await run("pg_restore", ["--no-owner", "--exit-on-error", `--dbname=${url}`, backup])
    await withClient(url, markRestored)
  })
  const restoreSeconds = secondsSince(restoring, 1)
  const [found] = await after.sql<Record<"turns" | "open" | "pending", number>>(
    `select (select count(*) from turns)::int as turns, (select count(*) from open_turns)::int as open,
      (select count(*) from webhook_deliveries where state = 'pending')::int as pending`,
  )

  const recovering = performance.now()
  let isOver = false
  const cron = (async () => {
    for (; !isOver; await pause(CRON_MS)) await (after.runtime as unknown as Server).cron()
  })()
  // The account repeats all requests whose turns it does not know to have ended, and sends more.
  await sendTurns(after, account, 0, count)
  await until("all turns have ended and all webhooks have arrived", async () => {
    const [row] = await after.sql<{ left: number }>(
      `select ((select count(*) from open_turns) + (select count(*) from webhook_deliveries where state = 'pending')
        + (select count(*) from postings))::int as left`,
    )
    return row?.left === 0
  })
  const recoverSeconds = secondsSince(recovering, 1)
  isOver = true
  await cron

  const turns = await after.sql<{ turn_id: string; state: string; charges: number }>(
    `select t.turn_id, t.state, (select count(*) from ledger l where l.turn_id = t.turn_id)::int as charges
     from turns t where t.idempotency_key like 'drill-%'`,
  )
  const wrong = turns.filter(
    ({ turn_id, state, charges }) => state !== "done" || charges !== 1 || !receiver.has(turn_id),
  )
  const events = await eventsAfter(after, account, cursor)
  const missing = turns.filter(({ turn_id }) => !events.has(turn_id))
  const { findings } = await reconcile(after)
  if (turns.length !== count || wrong.length > 0 || missing.length > 0 || findings > 0) {
    const faults = [`${turns.length} of ${count} turns`, `${wrong.length} wrong`, `${missing.length} not in the feed`]
    throw new Error(`${faults.join(", ")}, ${findings} findings`)
  }
  return {
    "turns, open turns and pending deliveries in the backup": `${found?.turns}, ${found?.open}, ${found?.pending}`,
    "pg_dump, s": dumpSeconds,
    "pg_restore and start, s": restoreSeconds,
    "all turns ended and all webhooks delivered, s": recoverSeconds,
    "turns that are done and billed once": turns.length,
    "webhooks delivered before the disaster": delivered,
    "webhooks delivered twice under one id": receiver.twice(),
    "turns that a reader of the feed has seen after its old cursor": turns.length - missing.length,
    findings,
  }
}

/** pg_dump reads no server that is newer than itself. */
async function whyNoDump({ postgresUrl }: BenchWorld): Promise<string | null> {
  const said = await run("pg_dump", ["--version"]).catch(() => ({ stdout: "" }))
  const client = /\d+/.exec(said.stdout)?.[0]
  if (client === undefined) return "pg_dump is not on the PATH."
  const server = await withClient(postgresUrl, async (connection) => {
    const { rows } = await connection.query<{ version: number }>(
      "select current_setting('server_version_num')::integer / 10000 as version",
    )
    return rows[0]?.version ?? 0
  })
  return Number(client) < server ? `pg_dump ${client} cannot read a server of version ${server}.` : null
}

async function ask(
  { runtime }: Site,
  { key }: BenchAccount,
  method: string,
  path: string,
  body?: unknown,
  once?: string,
) {
  const response = await fetch(`${runtime.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(once && { "idempotency-key": once }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

/** Sends turns with the Idempotency-Keys of their numbers. */
async function sendTurns(site: Site, account: BenchAccount, from: number, to: number): Promise<void> {
  let next = from
  const client = async () => {
    for (let n = next++; n < to; n = next++) {
      const body = { space: account.space, end_user_ref: `customer-${n}`, text: TEXT }
      await ask(site, account, "POST", "/v1/turns", body, `drill-${n}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

interface FeedPage {
  data: { data: { turn?: { turn_id: string } } }[]
  next_cursor: string | null
}

const feed = async (site: Site, account: BenchAccount, cursor: string | null) =>
  (await ask(
    site,
    account,
    "GET",
    `/v1/events?order=asc&limit=100${cursor ? `&cursor=${cursor}` : ""}`,
  )) as unknown as FeedPage

/** The cursor of a reader who has read a few events. */
async function lastCursor(site: Site, account: BenchAccount): Promise<string | null> {
  const page = (await ask(site, account, "GET", "/v1/events?order=asc&limit=1")) as unknown as FeedPage
  return page.next_cursor
}

/** The turns with events after a cursor. */
async function eventsAfter(site: Site, account: BenchAccount, cursor: string | null): Promise<Set<string>> {
  const seen = new Set<string>()
  for (let at = cursor; ; ) {
    const { data, next_cursor } = await feed(site, account, at)
    for (const { data: told } of data) if (told.turn) seen.add(told.turn.turn_id)
    if (!next_cursor || data.length === 0) return seen
    at = next_cursor
  }
}

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`It is not so after ${PATIENCE_MS / 1000} s: ${what}.`)
    await pause(250)
  }
}

async function startReceiver({ keep }: BenchWorld) {
  const turnsSeen = new Set<string>()
  const ids: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { data: { turn?: { turn_id: string } } }
      if (event.data.turn) {
        turnsSeen.add(event.data.turn.turn_id)
        ids.push(String(request.headers["webhook-id"]))
      }
      response.writeHead(204).end()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  keep(async () => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    has: (turnId: string) => turnsSeen.has(turnId),
    count: () => ids.length,
    twice: () => ids.length - new Set(ids).size,
  }
}

async function reconcile({ databaseUrl }: Site): Promise<{ findings: number }> {
  const { findings } = await withClient(databaseUrl, (client) =>
    reconcileNow({ ...directContext(client), log: () => {} }),
  )
  return { findings: Number(findings) }
}
