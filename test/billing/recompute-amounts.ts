/**
 * Computes published amounts again, from what an answer says and from a published price list. It shares no code with
 * the service: `node test/billing/recompute-amounts.ts` prints each row, and fails if one differs.
 */

interface Prices {
  input: number
  cached?: number
  cache_write?: number
  cache_write_hour?: number
  output: number
  web_search?: number
  x_search?: number
  tiers?: (Omit<Prices, "tiers" | "modifiers"> & { above_input_tokens: number })[]
  modifiers?: Record<string, number>
}

export interface PublishedAmount {
  list: string
  form: "chat" | "responses" | "messages"
  statedBy: "charged" | "listed" | "table"
  usd: string
  id: string
  source: string
  answer: { service_tier?: string; usage: Usage }
  prices: Prices
}

type Details = Record<string, number | undefined>
/** The counts of the three forms, and their details. */
// biome-ignore lint/suspicious/noExplicitAny: as providers write it
type Usage = Record<string, any>

const rowsOf = (tsv: string) =>
  tsv
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split("\t"))

/** The rows of published-amounts.tsv, each with its list of published-prices.tsv. */
export function readAmounts(amounts: string, lists: string): PublishedAmount[] {
  const pricesBy = new Map(rowsOf(lists).map(([name, , prices = ""]) => [name, JSON.parse(prices) as Prices]))
  return rowsOf(amounts).map(([list = "", form, statedBy, usd = "", id = "", source = "", answer = ""]) => {
    const prices = pricesBy.get(list)
    if (!prices) throw new Error(`no price list ${list}`)
    return { list, form, statedBy, usd, id, source, answer: JSON.parse(answer), prices } as PublishedAmount
  })
}

/** A number in the last of `places` decimals, rounded. */
export function decimal(value: string | number, places: number): bigint {
  const [units = "0", fraction = ""] = String(value).split(".")
  const digits = `${fraction.padEnd(places, "0")}0`
  return BigInt(units + digits.slice(0, places)) + (Number(digits[places]) >= 5 ? 1n : 0n)
}

function countsOf({ form, answer: { usage } }: PublishedAmount) {
  const details: Details = usage.prompt_tokens_details ?? usage.input_tokens_details ?? {}
  const { web_search_requests: requests }: Details = usage.server_tool_use ?? usage.server_tool_use_details ?? {}
  const { web_search_calls = 0, x_search_calls: xSearches = 0 }: Details = usage.server_side_tool_usage_details ?? {}
  const single = { searches: requests ?? web_search_calls, xSearches }
  if (form === "messages") {
    const read = usage.cache_read_input_tokens ?? 0
    const written = usage.cache_creation_input_tokens ?? 0
    const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0
    return { fresh: usage.input_tokens, read, short: written - hour, hour, output: usage.output_tokens, ...single }
  }
  const [prompt, said] = [usage.prompt_tokens ?? usage.input_tokens, usage.completion_tokens ?? usage.output_tokens]
  const thought = (usage.completion_tokens_details ?? usage.output_tokens_details)?.reasoning_tokens ?? 0
  // xAI counts reasoning besides the completion, and the total says so.
  const output = usage.total_tokens === prompt + said + thought ? said + thought : said
  const [read, short] = [details.cached_tokens ?? 0, details.cache_write_tokens ?? 0]
  return { fresh: prompt - read - short, read, short, hour: 0, output, ...single }
}

/** The amount in 10⁻¹⁷ USD, exactly. */
export function amountOf(row: PublishedAmount): bigint {
  const { fresh, read, short, hour, output, searches, xSearches } = countsOf(row)
  const prompt = fresh + read + short + hour
  const { usage, service_tier: tier = usage.service_tier } = row.answer
  const { tiers = [], modifiers = {} } = row.prices
  const list = tiers.filter(({ above_input_tokens }) => prompt > above_input_tokens).at(-1) ?? row.prices
  const words = [tier, usage.speed, usage.inference_geo && `geo_${usage.inference_geo}`]
  const factor = words.reduce((all, word) => all * (modifiers[word] ?? 1), 1)
  const tokens = [
    [fresh, list.input],
    [read, list.cached ?? list.input],
    [short, list.cache_write ?? list.input],
    [hour, list.cache_write_hour ?? list.input],
    [output, list.output],
  ] as const
  const sum = tokens.reduce((all, [count, price]) => all + BigInt(count) * decimal(price, 7), 0n)
  const { web_search = 0, x_search = 0 } = row.prices
  const singles = BigInt(searches) * decimal(web_search, 17) + BigInt(xSearches) * decimal(x_search, 17)
  return sum * decimal(factor.toFixed(4), 4) + singles
}

/** The amount rounded up to a credit micro (10⁻⁷ USD), as bills are. */
export const microsOf = (row: PublishedAmount) => (amountOf(row) + 10n ** 10n - 1n) / 10n ** 10n

/** True if the amount is the stated one. Providers write it as a binary fraction, so 12 decimals count. */
export const isStated = (row: PublishedAmount) => amountOf(row) === decimal(row.usd, 12) * 10n ** 5n

if (import.meta.main) {
  const { readFileSync } = await import("node:fs")
  const read = (name: string) => readFileSync(`${import.meta.dirname}/published-${name}.tsv`, "utf8")
  const rows = readAmounts(read("amounts"), read("prices"))
  for (const row of rows) {
    console.log(`${isStated(row) ? "equal" : "DIFFERS"}\t${row.usd}\t${microsOf(row)}\t${row.list}\t${row.id}`)
  }
  const wrong = rows.filter((row) => !isStated(row)).length
  console.log(`${rows.length} amounts, ${wrong} differ`)
  process.exitCode = wrong === 0 ? 0 : 1
}
