import { readFileSync } from "node:fs"
import pg from "pg"
import { MOST_WARM } from "../src/local/connections.ts"
import type { Options } from "./options.ts"
import { createSite, createSiteDatabase, type Site, type Sql } from "./site.ts"
import { round, timesOf } from "./statistics.ts"
import { BRAND, contextOver, readVerbs, TYPES, type Verbs } from "./verbs.ts"
import type { BenchWorld } from "./world.ts"

const CREDIT_MICROS = 1e13
const ROUNDS = { full: 15, smoke: 1 }
/** The turns of one connection. PostgreSQL decides on a plan after five executions of a statement. */
const TURNS = 10

type Step = "accept" | "claim" | "settle"
type Spent = Record<Step, number>

/**
 * Measures the processor time of PostgreSQL for the first turns of a new connection, by the kernel's counter of its
 * process. Each figure is the least of all rounds. It needs a server on this machine.
 */
export async function measureCold(world: BenchWorld, { size }: Options) {
  const { url, sql } = await createSiteDatabase(world, "cold")
  await world.version.fillDatabase(url)
  const verbs = await readVerbs(world.version)
  let client = await openClient(url)
  const spent = () => spentBy(client)
  const turn = await createTurns(world, verbs, sql, { spent, query: (query) => client.query(query) })
  for (let ran = 0; ran < TURNS; ran++) await turn()
  await sql("vacuum analyze")
  const opened: number[] = []
  const rounds: Spent[][] = []
  for (let ran = 0; ran < ROUNDS[size]; ran++) {
    await client.end()
    client = await openClient(url)
    await client.query("do $$ begin end $$")
    opened.push(spent())
    const turns: Spent[] = []
    for (let nth = 0; nth < TURNS; nth++) turns.push(await turn())
    rounds.push(turns)
  }
  await client.end()
  const leastOf = (nth: number, step: Step) => Math.min(...rounds.map((turns) => turns[nth]?.[step] ?? Number.NaN))
  const stepsOf = (turns: number[]) => {
    const meanOf = (step: Step) => turns.reduce((sum, nth) => sum + leastOf(nth, step), 0) / turns.length
    const [accept, claim, settle] = [meanOf("accept"), meanOf("claim"), meanOf("settle")]
    return { accept: round(accept), claim: round(claim), settle: round(settle), sum: round(accept + claim + settle) }
  }
  return {
    "opening a connection": round(Math.min(...opened)),
    "its first turn": stepsOf([0]),
    "the next five": stepsOf([1, 2, 3, 4, 5]),
    "its tenth turn": stepsOf([TURNS - 1]),
  }
}

async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, types: TYPES })
  await client.connect()
  return client
}

/** The processor time of a connection's process so far, in milliseconds. */
function spentBy(client: pg.Client): number {
  const { processID } = client as unknown as { processID: number }
  return Number(readFileSync(`/proc/${processID}/schedstat`, "utf8").split(" ")[0]) / 1e6
}

interface Connection {
  query(query: pg.QueryConfig): Promise<unknown>
  spent(): number
}

/** An account, and a function that takes one turn of it from accept to its end, and returns what each step spent. */
async function createTurns({ version }: BenchWorld, verbs: Verbs, sql: Sql, connection: Connection) {
  const now = new Date()
  const userId = await version.seed.createUser(sql, {})
  await version.seed.topUp(sql, { userId, micros: CREDIT_MICROS, reason: "operator_topup", actor: "bench", now })
  const { value } = await version.seed.createApiKey(sql, { userId, brand: BRAND, name: "bench", caps: {}, now })
  const credential = verbs.parseApiKey(value, BRAND)
  if (!credential) throw new Error("The key is malformed.")
  const ctx = contextOver(verbs, connection as unknown as pg.Pool)
  const { made } = await verbs.createSpace(ctx, credential, { title: "Bench", model: "rehearsal/standard" })
  let sent = 0
  return async () => {
    const id = `cold-${sent++}`
    const body = verbs.createTurnSchema.parse({ space: made.slug, end_user_ref: id, text: "Where is my order?" })
    let began = connection.spent()
    const lap = async () => {
      // The process ends its work after the answer, before it waits for the next statement.
      await connection.query({ text: "" })
      const ms = connection.spent() - began
      began = connection.spent()
      return ms
    }
    const { made: accepted } = await verbs.acceptTurn(ctx, credential, { idempotencyKey: id, body })
    const accept = await lap()
    const claimed = await verbs.claimTurn(ctx, accepted.turn_id)
    if (!claimed) throw new Error(`${accepted.turn_id} was not claimed.`)
    const claim = await lap()
    await verbs.settleTurn(
      ctx,
      claimed.turn,
      { state: "done", result: "x" },
      { step: verbs.finishedStep(0), files: false },
    )
    return { accept, claim, settle: await lap() }
  }
}

/** Measures a plain turn from POST to its end, on a service without open connections and on one with 20 warm ones. */
export async function measureColdTurn(world: BenchWorld, { size }: Options) {
  const site = await createSite(world, "coldturn", { runs: true })
  const pids = "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
  const [none, warm]: number[][] = [[], []]
  for (let ran = 0; ran < ROUNDS[size]; ran++) {
    await sendTurn(site)
    await site.sql(`select pg_terminate_backend(p.pid, 10000) from (${pids}) p`)
    none?.push(await sendTurn(site))
    await Promise.all(Array.from({ length: 2 * MOST_WARM }, () => sendTurn(site)))
    for (let again = 0; again < TURNS; again++) await sendTurn(site)
    warm?.push(await sendTurn(site))
  }
  return { "on 0 connections": timesOf(none ?? []), [`on ${MOST_WARM} warm ones`]: timesOf(warm ?? []) }
}

/** Returns the milliseconds from the request to the end of the turn. The bench's own connection reads the end. */
async function sendTurn({ runtime, accounts, sql }: Site): Promise<number> {
  const { key, space } = accounts[0] ?? { key: "", space: "" }
  const id = crypto.randomUUID()
  const began = Date.now()
  const answer = await fetch(`${runtime.url}/v1/turns`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": id },
    body: JSON.stringify({ space, end_user_ref: id, text: "Where is my order?" }),
  })
  const { turn_id } = (await answer.json()) as { turn_id: string }
  for (;;) {
    const [row] = await sql<{ finished_at: Date | null }>("select finished_at from turns where turn_id = $1", [turn_id])
    if (row?.finished_at) return row.finished_at.getTime() - began
  }
}
