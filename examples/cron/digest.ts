import { Turnpike } from "@turnpike-turns/client"

/**
 * Sends each customer of yesterday one turn that writes a digest of the day, and prints the costs. A job that runs
 * again, on the same day or after a crash, sends no second turn.
 */
const DAY_MS = 24 * 60 * 60 * 1000
const AT_ONCE = 5
const { TURNPIKE_SPACE: space = "" } = process.env

const turnpike = new Turnpike()
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
/** An argument such as 2026-11-25 runs the job for another day. */
const day = process.argv[2] ?? dayOf(Date.now() - DAY_MS)
const next = dayOf(Date.parse(day) + DAY_MS)

const customers = await turnpike.usage.groups({ group_by: "end_user_ref", from: day, to: next, limit: 100 }).toArray()
const failed: string[] = []
let billed = 0

async function digest({ group, billed_usd }: (typeof customers)[number]): Promise<void> {
  // The same text in each run: an Idempotency-Key belongs to one request.
  const text = `Write a digest of ${day}.`
  const body = { space, end_user_ref: group, text, conversation: `digest-${day}`, max_cost_usd: 0.1 }
  try {
    const turn = await turnpike.turns.run(body, { idempotencyKey: `digest-${day}-${group}`, timeoutMs: 5 * 60_000 })
    billed += turn.billed_cost_usd
    if (turn.state !== "done") failed.push(`${group}: ${turn.error?.code ?? turn.state}`)
    else console.log(`${group}\t${billed_usd} USD\t${turn.turn_id}\t${turn.result}`)
  } catch (error) {
    // One customer without credit must not stop the others.
    failed.push(`${group}: ${(error as Error).message}`)
  }
}

const waiting = customers.values()
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const customer of waiting) await digest(customer)
  }),
)
console.log(`${customers.length - failed.length} of ${customers.length} digests of ${day}, ${billed.toFixed(7)} USD`)
for (const line of failed) console.error(line)
process.exitCode = failed.length === 0 ? 0 : 1
