import { createHash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { Turnpike } from "@turnpike-turns/client"
import { amountOf, METERS, type Row } from "./meters.ts"

/** Forwards each charge and refund of the ledger to a meter, and proves each closed hour. Run it every few minutes. */
interface Hour {
  from: string
  rows: number
  sum: string
  digest: string
}

const name = process.argv[2] ?? "stripe"
const meter = METERS[name]
if (!meter) throw new Error(`There is no meter ${name}, only ${Object.keys(METERS).join(", ")}.`)

const turnpike = new Turnpike()
const database = new DatabaseSync(process.env.DATABASE ?? "metered.sqlite")
database.exec(`create table if not exists metered (ledger_id integer primary key, hour text not null, amount_usd text not null);
  create table if not exists hours (hour text primary key, rows integer not null, sum text not null, digest text not null);
  create table if not exists position (one integer primary key check (one = 1), cursor text not null)`)

await turnpike.usage.putExport({ enabled: true })
let [sent, failed] = [0, 0]

async function forward(row: Row): Promise<void> {
  if (database.prepare("select 1 from metered where ledger_id = ?").get(row.ledger_id)) return
  // Rows without an end user, such as storage, or without a charge belong to no customer of the meter. They count in the
  // proof, which is of your cost.
  if (row.end_user_ref && amountOf(row) !== null) await meter?.(row)
  // After a crash before this line, the next run sends the row again, and the meter refuses it.
  const { ledger_id, hour, amount_usd } = row
  database.prepare("insert into metered values (?, ?, ?)").run(ledger_id, hour, amount_usd)
  sent++
}

/** The feed in the order of commits, so that no event appears before the stored cursor. */
for (let more = true; more && failed === 0; ) {
  const stored = database.prepare("select cursor from position").get() as { cursor: string } | undefined
  const page = turnpike.events.list({ order: "asc", limit: 100, ...(stored && { cursor: stored.cursor }) })
  const { data, next_cursor, has_more } = await page.page()
  for (const event of data) {
    try {
      if (event.type === "usage.posted") await forward(event.data as unknown as Row)
      if (event.type === "hour.closed") {
        const { from, rows, sum, digest } = event.data as unknown as Hour
        database.prepare("insert or replace into hours values (?, ?, ?, ?)").run(from, rows, sum, digest)
      }
    } catch (error) {
      failed++
      console.error(error instanceof Error ? error.message : error)
    }
  }
  // The cursor stays before a page with a failure, so that the next run sends the rest of that page again.
  if (failed === 0 && next_cursor) database.prepare("insert or replace into position values (1, ?)").run(next_cursor)
  more = has_more
}

/** True if the stored rows of an hour have its number, sum and digest. */
function isProven(hour: { hour: string; rows: number; sum: string; digest: string }): boolean {
  const rows = database
    .prepare("select * from metered where hour = ? order by ledger_id")
    .all(hour.hour) as unknown as Row[]
  let digest = Buffer.alloc(32)
  let sum = 0n
  for (const { ledger_id, amount_usd } of rows) {
    digest = createHash("sha256").update(digest).update(`${ledger_id} ${amount_usd}\n`).digest()
    sum += BigInt(amount_usd.replace(".", ""))
  }
  return (
    rows.length === hour.rows && sum === BigInt(hour.sum.replace(".", "")) && digest.toString("hex") === hour.digest
  )
}

const hours = database.prepare("select * from hours order by hour").all() as unknown as Parameters<typeof isProven>[0][]
const wrong = hours.filter((hour) => !isProven(hour))
for (const { hour } of wrong) console.error(`WRONG: the hour ${hour} has other rows than the ledger`)
console.log(`${sent} rows sent, ${failed} failed; ${hours.length - wrong.length} of ${hours.length} hours proven`)
process.exitCode = failed + wrong.length > 0 ? 1 : 0
