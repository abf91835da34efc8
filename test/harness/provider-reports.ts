import type { World } from "./world.ts"

/** A call as a provider has counted it. Amounts are in credit micros. */
export interface CountedCall {
  id: string
  model: string
  /** The time at which the provider counts it. */
  at: Date
  input: number
  cached: number
  written: number
  output: number
  micros: number
  /** The number of calls that it is the sum of. Default: 1. */
  times?: number
}

/** One account, as the fakes of all providers know it. */
export interface CountedAccount {
  calls: CountedCall[]
  /** Further lines of the costs: credits below 0, and lines of no model. */
  lines: { day: string; text: string; micros: number }[]
  /** An answer instead of the reports. */
  fails?: () => Response
}

export const REPORTS_URL = "https://reports.test/v1"

/** Sums that a report has of one model. */
interface Sums {
  calls: number
  input: number
  cached: number
  written: number
  output: number
  micros: number
}

/**
 * Serves the reports of Anthropic, OpenAI and OpenRouter in the forms that they document, for accounts by the keys of
 * their reports. Buckets have several pages.
 */
export function serveReports(world: Pick<World, "serve">) {
  const accounts = new Map<string, CountedAccount>()
  const asked: string[] = []
  world.serve("reports.test", (request) => {
    const url = new URL(request.url)
    asked.push(`${url.pathname}${url.search}`)
    const key = request.headers.get("x-api-key") ?? request.headers.get("authorization")?.replace("Bearer ", "") ?? ""
    const account = accounts.get(key)
    if (!account) return Response.json({ error: { message: `bad key ${key}` } }, { status: 401 })
    return account.fails?.() ?? reportOf(account, url) ?? Response.json({}, { status: 404 })
  })
  return { accounts, asked }
}

function reportOf(account: CountedAccount, url: URL): Response | null {
  const query = url.searchParams
  switch (url.pathname.replace("/v1", "")) {
    case "/organizations/usage_report/messages":
      return anthropic(query, ofDay(account, dayOf(query.get("starting_at"))).map(anthropicUsage))
    case "/organizations/cost_report": {
      const day = dayOf(query.get("starting_at"))
      const tokens = ofDay(account, day).map(([model, { micros }]) => anthropicCost(model, micros))
      const lines = account.lines.filter((line) => line.day === day).map(({ micros }) => anthropicCost(null, micros))
      return anthropic(query, [...tokens, ...lines])
    }
    case "/organization/usage/completions":
      return openai(query, ofDay(account, dayOfSeconds(query)).map(openaiUsage))
    case "/organization/costs": {
      const day = dayOfSeconds(query)
      const tokens = ofDay(account, day).flatMap(([model, { micros }]) => [
        openaiCost(`${model}, input`, micros - Math.floor(micros / 3)),
        openaiCost(`${model}, output`, Math.floor(micros / 3)),
      ])
      const lines = account.lines.filter((line) => line.day === day)
      return openai(query, [...tokens, ...lines.map(({ text, micros }) => openaiCost(text, micros))])
    }
    case "/activity":
      return Response.json({ data: ofDay(account, query.get("date") ?? "").map(activity(query.get("date") ?? "")) })
    case "/generation": {
      const call = account.calls.find(({ id }) => id === query.get("id"))
      return call ? Response.json({ data: { id: call.id, model: call.model, total_cost: usdOf(call.micros) } }) : null
    }
  }
  return null
}

const usdOf = (micros: number) => micros / 10_000_000
const dayOf = (at: string | null) => new Date(at ?? 0).toISOString().slice(0, 10)
const dayOfSeconds = (query: URLSearchParams) => dayOf(new Date(Number(query.get("start_time")) * 1000).toISOString())

function ofDay({ calls }: CountedAccount, day: string): [model: string, sums: Sums][] {
  const models = Map.groupBy(
    calls.filter(({ at }) => dayOf(at.toISOString()) === day),
    ({ model }) => model,
  )
  const total = (some: CountedCall[], of: keyof CountedCall) =>
    some.reduce((sum, call) => sum + Number(call[of] ?? 1), 0)
  return [...models].map(([model, some]) => {
    const of = (name: keyof CountedCall) => total(some, name)
    const tokens = { input: of("input"), cached: of("cached"), written: of("written"), output: of("output") }
    return [model, { calls: of("times"), micros: of("micros"), ...tokens }]
  })
}

const anthropicUsage = ([model, { input, cached, written, output }]: [string, Sums]) => ({
  uncached_input_tokens: input - cached - written,
  cache_creation: {
    ephemeral_1h_input_tokens: Math.floor(written / 2),
    ephemeral_5m_input_tokens: Math.ceil(written / 2),
  },
  cache_read_input_tokens: cached,
  output_tokens: output,
  server_tool_use: { web_search_requests: 0 },
  api_key_id: null,
  workspace_id: null,
  model,
  service_tier: null,
  context_window: null,
})

/** Amounts are decimal texts in cents. */
const anthropicCost = (model: string | null, micros: number) => ({
  amount: String(micros / 100_000),
  currency: "USD",
  model,
  description: model === null ? "Credit or tool" : `${model} Usage`,
  cost_type: model === null ? "web_search" : "tokens",
  workspace_id: null,
})

const openaiUsage = ([model, { calls, input, cached, output }]: [string, Sums]) => ({
  object: "organization.usage.completions.result",
  input_tokens: input,
  output_tokens: output,
  input_cached_tokens: cached,
  input_audio_tokens: 0,
  num_model_requests: calls,
  project_id: null,
  model,
  batch: null,
})

const openaiCost = (line_item: string, micros: number) => ({
  object: "organization.costs.result",
  amount: { value: usdOf(micros), currency: "usd" },
  line_item,
  project_id: null,
})

const activity =
  (date: string) =>
  ([model, { calls, input, output, micros }]: [string, Sums]) => ({
    date,
    model,
    model_permaslug: model,
    endpoint_id: "e",
    provider_name: "P",
    usage: usdOf(micros),
    byok_usage_inference: 0,
    requests: calls,
    prompt_tokens: input,
    completion_tokens: output,
    reasoning_tokens: 0,
  })

/** The results of a bucket on two pages. */
function paged(query: URLSearchParams, results: object[], bucket: object): { data: object[]; next: string | null } {
  const half = Math.ceil(results.length / 2)
  const isSecond = query.get("page") === "second"
  const shown = isSecond ? results.slice(half) : results.slice(0, half)
  return { data: [{ ...bucket, results: shown }], next: !isSecond && results.length > half ? "second" : null }
}

function anthropic(query: URLSearchParams, results: object[]): Response {
  const bucket = { starting_at: query.get("starting_at"), ending_at: query.get("ending_at") }
  const { data, next } = paged(query, results, bucket)
  return Response.json({ data, has_more: next !== null, next_page: next })
}

function openai(query: URLSearchParams, results: object[]): Response {
  const bucket = {
    object: "bucket",
    start_time: Number(query.get("start_time")),
    end_time: Number(query.get("end_time")),
  }
  const { data, next } = paged(query, results, bucket)
  return Response.json({ object: "page", data, has_more: next !== null, next_page: next })
}
