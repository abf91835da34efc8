import { storedRows } from "../base/casts.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { usdDecimal } from "../base/money.ts"
import { DAY_MS } from "../base/time.ts"
import type { RunSql } from "../ops/seed.ts"
import { sealReportKey } from "../provider-books/provider-report.ts"
import { DEMO_ACCOUNTS } from "./provider-oauth.ts"

const REPORTS = "reports.example.com"
/** The account whose book is kept. */
const [{ id: ACCOUNT }] = DEMO_ACCOUNTS as [(typeof DEMO_ACCOUNTS)[number]]
/** A call that the provider has counted and the service has not, so that its day has a finding. */
const STRAY = { input: 12_000, output: 900, micros: 141_000 }
/** The day of that call, counted back from now, and the one on which the provider gives a credit. */
const [STRAY_DAYS_AGO, CREDIT_DAYS_AGO] = [4, 9]

interface DaySums {
  model: string
  input: number
  cached: number
  output: number
  micros: number
}

/**
 * Lets the service compare one account of the month with reports in Anthropic's form. They have what the service has
 * counted, one more call, and a credit. `close` forgets the key of the reports; compared days stay.
 */
export async function keepBook(sql: RunSql, { keys, begins, now }: { keys: string; begins: Date; now: Date }) {
  const sealed = await sealReportKey({ keyRing: createKeyRing(parseKeyRing(keys)) }, ACCOUNT, "not-a-real-key")
  await sql(
    `insert into provider_reports (provider_id, format, base_url, sealed, shared, first_day, created_at, updated_at)
     values ($1, 'anthropic', $2, $3, false, $4::timestamptz::date, $4, $4)`,
    [ACCOUNT, `https://${REPORTS}/v1`, sealed, begins],
  )
  const daysAgo = (day: string) => Math.floor(now.getTime() / DAY_MS) - Date.parse(day) / DAY_MS

  async function sumsOf(day: string): Promise<DaySums[]> {
    const rows = await sql(
      `select m.model, sum(c.tokens_input)::float8 as input, sum(c.tokens_cached)::float8 as cached,
         sum(c.tokens_output)::float8 as output, sum(coalesce(c.provider_credit_micros, c.cost_credit_micros))::float8 as micros
       from model_calls c join model_catalog m on m.pin = c.model
       where c.subscription_id = $1 and not c.test and (c.created_at at time zone 'UTC')::date = $2::date group by m.model`,
      [ACCOUNT, day],
    )
    const sums = storedRows<DaySums>(rows)
    if (daysAgo(day) !== STRAY_DAYS_AGO) return sums
    return sums.map((of) => ({
      ...of,
      input: of.input + STRAY.input,
      output: of.output + STRAY.output,
      micros: of.micros + STRAY.micros,
    }))
  }

  return {
    /** The answer to a request for a report; undefined for other requests. */
    async answer(request: Request): Promise<Response | undefined> {
      const { hostname, pathname, searchParams } = new URL(request.url)
      if (hostname !== REPORTS) return undefined
      const day = (searchParams.get("starting_at") ?? "").slice(0, 10)
      const sums = await sumsOf(day)
      const credit = daysAgo(day) === CREDIT_DAYS_AGO ? [costOf(null, -50_000)] : []
      const results = pathname.endsWith("/cost_report")
        ? [...sums.map(({ model, micros }) => costOf(model, micros)), ...credit]
        : sums.map(usageOf)
      return Response.json({ data: [{ starting_at: `${day}T00:00:00Z`, results }], has_more: false, next_page: null })
    },
    close: () => sql("delete from provider_reports where provider_id = $1", [ACCOUNT]),
  }
}

const usageOf = ({ model, input, cached, output }: DaySums) => ({
  model,
  uncached_input_tokens: input - cached,
  cache_read_input_tokens: cached,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: output,
})

/** A line of Anthropic's cost report: its amount is a decimal text in cents. */
const costOf = (model: string | null, micros: number) => ({
  amount: usdDecimal(micros * 100),
  currency: "USD",
  model,
  cost_type: "tokens",
  workspace_id: null,
})
