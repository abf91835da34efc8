/** A row of the ledger, as `usage.posted` has it. */
export interface Row {
  ledger_id: number
  hour: string
  kind: "usage" | "space_usage" | "refund"
  amount_usd: string
  /** The charge of the end user by your price. Null for a refund, and for a turn without a price and a wallet. */
  end_user_charge_usd: string | null
  turn_id: string | null
  end_user_ref: string | null
  booked_at: string
}

/** Sends a row. Resolves if the meter has it now, from this request or an earlier one; otherwise throws. */
export type Meter = (row: Row) => Promise<void>

const { METER_URL, METER_KEY = "" } = process.env
const EVENT = "turnpike_usage"

/** `cost` meters what you pay, `charge` what your end users pay you. */
const isCharge = (process.env.METER_AMOUNT ?? "cost") === "charge"

/** The amount of a row; null if it has none. */
export const amountOf = ({ amount_usd, end_user_charge_usd }: Row) => (isCharge ? end_user_charge_usd : amount_usd)

/** Whole ten-millionths of a US dollar. Amounts have 7 decimals. */
const units = (row: Row) => String(BigInt((amountOf(row) ?? "0").replace(".", "")))

/** One id for each row, on which every meter refuses duplicates. */
const idOf = ({ ledger_id }: Row) => `turnpike-${ledger_id}`

async function post(url: string, type: string, body: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${METER_KEY}`, "content-type": type }
  const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(30_000) })
  return { status: response.status, text: await response.text() }
}

const isOk = (status: number) => status >= 200 && status < 300

function expectOk({ status, text }: { status: number; text: string }, row: Row) {
  if (!isOk(status)) throw new Error(`row ${row.ledger_id}: HTTP ${status} ${text.slice(0, 200)}`)
}

/** Stripe refuses an identifier again for at least 24 hours. The end user is Stripe's customer, such as cus_123. */
const stripe: Meter = async (row) => {
  const body = new URLSearchParams({
    event_name: EVENT,
    identifier: idOf(row),
    timestamp: String(Math.floor(Date.parse(row.booked_at) / 1000)),
    "payload[stripe_customer_id]": row.end_user_ref ?? "",
    "payload[value]": units(row),
  })
  const url = `${METER_URL ?? "https://api.stripe.com"}/v1/billing/meter_events`
  const answer = await post(url, "application/x-www-form-urlencoded", body.toString())
  if (answer.status === 400 && answer.text.includes("An event already exists with identifier")) return
  expectOk(answer, row)
}

/** Lago refuses a transaction_id again, with 422. The end user is the external id of a subscription. */
const lago: Meter = async (row) => {
  const event = {
    transaction_id: idOf(row),
    external_subscription_id: row.end_user_ref,
    code: EVENT,
    timestamp: Date.parse(row.booked_at) / 1000,
    properties: { amount: units(row), turn_id: row.turn_id },
  }
  const url = `${METER_URL ?? "https://api.getlago.com"}/api/v1/events`
  const answer = await post(url, "application/json", JSON.stringify({ event }))
  if (answer.status === 422 && answer.text.includes("value_already_exist")) return
  expectOk(answer, row)
}

/** OpenMeter takes CloudEvents, and ignores an event with a known `source` and `id`. The end user is the subject. */
const openmeter: Meter = async (row) => {
  const event = {
    specversion: "1.0",
    id: idOf(row),
    source: "turnpike",
    type: EVENT,
    time: row.booked_at,
    subject: row.end_user_ref,
    data: { amount: units(row), turn_id: row.turn_id },
  }
  const url = `${METER_URL ?? "https://openmeter.cloud"}/api/v1/events`
  expectOk(await post(url, "application/cloudevents+json", JSON.stringify(event)), row)
}

export const METERS: Record<string, Meter> = { stripe, lago, openmeter }
