// Verifies a month: every signature, every amount and every digest, with nothing of Turnpike but its documents.
import {
  type Call,
  canonical,
  computed,
  decimal,
  digestOfAll,
  isSigned,
  learnKeys,
  micros,
  NO_DIGEST,
  type Signed,
} from "./documents.ts"

const { TURNPIKE_BASE_URL: base, TURNPIKE_API_KEY: key } = process.env
const month = process.argv[2] ?? new Date().toISOString().slice(0, 7)
const faults: string[] = []

function check(holds: boolean, what: string) {
  if (!holds) faults.push(what)
}

async function read(path: string) {
  const response = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
  const body = await response.json()
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${JSON.stringify(body)}`)
  return body
}

/** Computes a receipt again. Returns what it charges. */
// biome-ignore lint/suspicious/noExplicitAny: a receipt
function charge({ turn_id, calls, hold, total_usd }: any): bigint {
  let charged = 0n
  for (const call of calls as Call[]) {
    const waived = micros(call.waived_usd)
    const amount = computed(call) - waived
    const isRight = computed(call) === micros(call.computed_usd) && amount === micros(call.amount_usd)
    check(isRight && waived >= 0n && waived > 0n === (call.waived_for !== null), `${turn_id}: a call`)
    charged += amount
  }
  check(charged === micros(total_usd), `${turn_id}: the total`)
  check(micros(hold.held_usd) === charged + micros(hold.released_usd), `${turn_id}: the hold`)
  return charged
}

learnKeys(await read("/.well-known/jwks.json"))
const days = new Map<string, { receipts: number; charged: bigint; digest: string }>()
const refunds = { count: 0, amount: 0n, digest: NO_DIGEST }
let [receipts, total, ofKeys] = [0, 0n, 0n]
for (let cursor: string | null = ""; cursor !== null; ) {
  const query: string = cursor && `&cursor=${cursor}`
  const page = await read(`/v1/usage/statements/${month}/documents?limit=100${query}`)
  for (const signed of page.data as Signed[]) {
    const { document, digest } = signed
    check(isSigned(signed), `${document.turn_id}: the signature of its ${document.document}`)
    if (document.document === "refund") {
      refunds.count++
      refunds.amount += micros(document.refunded_usd)
      refunds.digest = digestOfAll([refunds.digest, digest])
      continue
    }
    const charged = charge(document)
    const name = document.ended_at.slice(0, 10)
    const day = days.get(name) ?? { receipts: 0, charged: 0n, digest: NO_DIGEST }
    days.set(name, {
      receipts: day.receipts + 1,
      charged: day.charged + charged,
      digest: digestOfAll([day.digest, digest]),
    })
    receipts++
    total += charged
    if (document.key_id !== null) ofKeys += charged
  }
  cursor = page.next_cursor
}

const answer = await read(`/v1/usage/statements/${month}`)
if (answer.statement) {
  const { document } = answer.statement as Signed
  check(isSigned(answer.statement), "the statement: its signature")
  const rows = [...days].map(([day, { receipts, charged, digest }]) => {
    return { day, receipts, amount_usd: decimal(charged), digest }
  })
  const same = (given: unknown, own: unknown, what: string) =>
    check(canonical(given) === canonical(own), `the statement: its ${what}`)
  same(document.days, rows, "days")
  const digest = digestOfAll(rows.map((row) => row.digest))
  same(document.receipts, { count: receipts, amount_usd: decimal(total), digest }, "receipts")
  same(
    document.refunds,
    { count: refunds.count, amount_usd: decimal(refunds.amount), digest: refunds.digest },
    "refunds",
  )
  same(document.total_usd, decimal(total - refunds.amount + micros(document.other_charges.amount_usd)), "total")
}
const [year = 0, number = 0] = month.split("-").map(Number)
const to = new Date(Date.UTC(year, number, 1)).toISOString()
const usage = await read(`/v1/usage?from=${month}-01&to=${to}&limit=1`)
check(decimal(ofKeys) === usage.total.billed_usd.toFixed(7), "the usage report: its total")

console.log(
  `${month}: ${receipts} receipts, ${decimal(total)} USD; ${refunds.count} refunds, ${decimal(refunds.amount)} USD`,
)
console.log(
  answer.state === "open" ? "The month is not over, so it has no statement yet." : `The statement is ${answer.state}.`,
)
for (const fault of faults) console.error(`WRONG: ${fault}`)
process.exitCode = faults.length > 0 ? 1 : 0
