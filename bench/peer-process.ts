import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import pg from "pg"
import { PgBoss } from "pg-boss"
import { answerBench } from "./child.ts"

/**
 * A hand-built service for the same task. A POST inserts a turn and its job in one transaction, a worker ends both in
 * one transaction, and a GET reads the turn. It has no accounts, money, events or limits.
 */
const QUEUE = "turns"
/** The number of turns that are claimed and ended together, equal to the number of clients. */
const BATCH = 16

const { DATABASE_URL: connectionString = "", PEER_RUNS: runs } = process.env
const pool = new pg.Pool({ connectionString, max: 24 })
await pool.query(
  `create table turns (
     turn_id text primary key default 'turn_' || gen_random_uuid(), idempotency_key text not null unique,
     space text not null, end_user_ref text not null, text text not null, state text not null default 'queued',
     result text, created_at timestamptz not null default now(), finished_at timestamptz)`,
)
const boss = new PgBoss({ connectionString, max: 24, useListenNotify: true })
boss.on("error", console.error)
await boss.start()
await boss.createQueue(QUEUE, { notify: true })
if (runs === "1") {
  // 16 workers with one job each were slower and took twice the CPU time of PostgreSQL.
  const options = {
    transactional: true,
    batchSize: BATCH,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
    notifyPollingIntervalSeconds: 0.5,
  } as const
  await boss.work<{ turn_id: string }, unknown, typeof options>(QUEUE, options, async (jobs, tx) => {
    await tx.executeSql(
      "update turns set state = 'done', result = 'You said: ' || text, finished_at = now() where turn_id = any($1)",
      [jobs.map((job) => job.data.turn_id)],
    )
  })
}

async function accept(key: string, body: Record<string, string>): Promise<unknown> {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const { rows } = await client.query(
      `insert into turns (idempotency_key, space, end_user_ref, text) values ($1, $2, $3, $4)
       returning turn_id, state, created_at, finished_at`,
      [key, body.space, body.end_user_ref, body.text],
    )
    const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
    await boss.send(QUEUE, { turn_id: rows[0].turn_id }, { db })
    await client.query("commit")
    return rows[0]
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
}

async function answer(request: IncomingMessage): Promise<unknown> {
  if (request.method === "POST") {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    return accept(String(request.headers["idempotency-key"]), JSON.parse(Buffer.concat(chunks).toString()))
  }
  const turnId = new URL(request.url ?? "", "http://peer").pathname.split("/").at(-1)
  const { rows } = await pool.query("select turn_id, state, created_at, finished_at from turns where turn_id = $1", [
    turnId,
  ])
  return rows[0]
}

const server = createServer((request, response) => {
  answer(request).then(
    (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))

answerBench(
  async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  async () => {
    server.closeAllConnections()
    await boss.stop({ graceful: false })
    await pool.end()
  },
)
