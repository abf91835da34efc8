import { setTimeout as pause } from "node:timers/promises"
import type { BenchAccount } from "./load.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { round, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

/** Four model calls of 0.00101 USD. A wallet of `WALLET` USD pays for less than that. */
const TEXT = "[steps 4]\n[use input=10 output=200]"
const WALLET = 0.0026
const CREDIT = 1
const SENDERS = 8
/** `many`: how many turns of other end users wait. */
const SIZES = { full: { many: 1_000, bookings: 200 }, smoke: { many: 4, bookings: 3 } }

interface Answer {
  state: string
  waiting: { for: string } | null
}

/**
 * Measures the time from the request that credits an end user's wallet until a GET shows that the turn which waited for
 * this wallet continues: while it is the only waiting turn, and while 1,000 turns of other end users wait.
 */
export async function measureWakes(world: BenchWorld, { size }: Options) {
  const { many, bookings } = SIZES[size]
  const rows = []
  for (const waiting of [1, many]) rows.push(await measureWaiting(world, waiting, bookings))
  return { waiting: rows }
}

async function measureWaiting(world: BenchWorld, waiting: number, bookings: number) {
  const site = await createSite(world, `wakes_${waiting}`, { runs: true })
  const [account] = site.accounts as [BenchAccount]
  // Wallets of end users need a key that sees all of the account.
  await site.sql("update api_keys set scope = 'all' where user_id = $1", [account.userId])
  const api = clientOf(site, account)
  let next = 0
  const startOne = async () => {
    const ref = `customer-${next++}`
    await api.credit(ref, WALLET)
    return { ref, turn: await api.waits(ref) }
  }
  const turns: Awaited<ReturnType<typeof startOne>>[] = []
  const starter = async () => {
    while (next < waiting) turns.push(await startOne())
  }
  await Promise.all(Array.from({ length: Math.min(SENDERS, waiting) }, starter))
  const answered: number[] = []
  const goesOn: number[] = []
  for (let n = 0; n < bookings; n++) {
    const { ref, turn } = turns.shift() as (typeof turns)[number]
    const began = performance.now()
    await api.credit(ref, CREDIT)
    answered.push(performance.now() - began)
    await api.until(turn, (answer) => answer.waiting === null)
    goesOn.push(performance.now() - began)
    // The same number waits at each booking.
    turns.push(await startOne())
  }
  const [ended] = await site.sql<{ count: number }>("select count(*)::int as count from turns where state = 'done'")
  return {
    "waiting turns": waiting,
    bookings,
    "booking is answered after, ms": timesOf(answered),
    "turn continues after, ms": timesOf(goesOn),
    ended: round(ended?.count ?? 0),
  }
}

function clientOf({ runtime }: Site, { key, space }: BenchAccount) {
  let sent = 0
  const call = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const response = await fetch(`${runtime.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json", "idempotency-key": `wakes-${sent++}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as Body
  }
  const until = async (turn: string, isSo: (answer: Answer) => boolean) => {
    for (;;) {
      const answer = await call<Answer>("GET", `/turns/${turn}`)
      if (isSo(answer)) return
      if (answer.state !== "queued" && answer.state !== "running") throw new Error(JSON.stringify(answer))
      await pause(1)
    }
  }
  return {
    until,
    credit: (ref: string, amount_usd: number) => call("POST", `/end-users/${ref}/credits`, { amount_usd }),
    /** Sends a turn of the end user, and answers when it waits for the wallet. */
    waits: async (ref: string) => {
      const body = { space, end_user_ref: ref, text: TEXT, on_limit: "wait" }
      const { turn_id } = await call<{ turn_id: string }>("POST", "/turns", body)
      await until(turn_id, (answer) => answer.waiting?.for === "limit")
      return turn_id
    },
  }
}
