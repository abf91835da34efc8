import type { ContextComparison } from "../../analytics/report-context-comparison.ts"
import type { ContextSize } from "../../analytics/report-context-size.ts"
import type { UsageDay } from "../../analytics/report-daily-usage.ts"
import type { EndUserUsage } from "../../analytics/report-end-users.ts"
import type { ErrorsReport } from "../../analytics/report-errors.ts"
import type { Hourly } from "../../analytics/report-hourly.ts"
import type { HourlySpaces } from "../../analytics/report-hourly-spaces.ts"
import type { SlugSeries } from "../../analytics/report-slug-usage.ts"
import type { TopSpaces } from "../../analytics/report-top-spaces.ts"
import type { TopUsers } from "../../analytics/report-top-users.ts"
import type { CsvColumns } from "../../http/csv.ts"

/** The columns of reports that are exported as CSV files, and the rows of nested reports. */

type Item<Report extends { items: unknown[] }> = Report["items"][number]

interface SumFields {
  turns: number
  model_calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  billed_cost_usd: number
  refunded_usd: number
  net_usd: number
}

const SUMS = {
  turns: ({ turns }: SumFields) => turns,
  model_calls: ({ model_calls }: SumFields) => model_calls,
  tokens_input: ({ tokens_input }: SumFields) => tokens_input,
  tokens_cached: ({ tokens_cached }: SumFields) => tokens_cached,
  tokens_output: ({ tokens_output }: SumFields) => tokens_output,
  billed_cost_usd: ({ billed_cost_usd }: SumFields) => billed_cost_usd,
  refunded_usd: ({ refunded_usd }: SumFields) => refunded_usd,
  net_usd: ({ net_usd }: SumFields) => net_usd,
}

interface SpaceFields {
  space_id: number | null
  slug: string
  chat_key: string | null
  title: string | null
  owner_id: number | null
}

const SPACE = {
  space_id: ({ space_id }: SpaceFields) => space_id,
  slug: ({ slug }: SpaceFields) => slug,
  chat_key: ({ chat_key }: SpaceFields) => chat_key,
  title: ({ title }: SpaceFields) => title,
  owner_id: ({ owner_id }: SpaceFields) => owner_id,
}

export const END_USERS: CsvColumns<EndUserUsage> = {
  end_user_ref: ({ end_user_ref }) => end_user_ref,
  ...SUMS,
}

export const USAGE: CsvColumns<UsageDay> = {
  date: ({ date }) => date,
  ...SUMS,
  avg_duration_sec: ({ avg_duration_sec }) => avg_duration_sec,
  tokens_reasoning: ({ tokens_reasoning }) => tokens_reasoning,
}

export const SLUG_USAGE: CsvColumns<UsageDay & { slug: string }> = { slug: ({ slug }) => slug, ...USAGE }

export const slugRows = ([slug, days]: SlugSeries) => days.map((day) => ({ slug, ...day }))

export const TOP_USERS: CsvColumns<Item<TopUsers>> = {
  user_id: ({ user_id }) => user_id,
  name: ({ name }) => name,
  email: ({ email }) => email,
  ...SUMS,
}

export const TOP_SPACES: CsvColumns<Item<TopSpaces>> = { ...SPACE, ...SUMS }

export const HOURLY: CsvColumns<Item<Hourly>> = { hour: ({ hour }) => hour, ...SUMS }

type Point = SpaceFields & { hour: string; billed_cost_usd: number }

export const HOURLY_SPACES: CsvColumns<Point> = {
  hour: ({ hour }) => hour,
  ...SPACE,
  billed_cost_usd: ({ billed_cost_usd }) => billed_cost_usd,
}

/** The rows by hour. All other spaces have the slug `other`. Each chunk has `HOURS` hours, to bound memory. */
export async function* hourlyRows({ series, other }: Pick<HourlySpaces, "series" | "other">): AsyncGenerator<Point[]> {
  const others = { ...other, space_id: null, slug: "other", chat_key: null, title: null, owner_id: null }
  for (let first = 0; first < other.points.length; first += HOURS)
    yield other.points
      .slice(first, first + HOURS)
      .flatMap((_, nth) =>
        [...series, others].flatMap(({ points, ...space }) =>
          points.slice(first + nth, first + nth + 1).map((point) => ({ ...space, ...point })),
        ),
      )
}

const HOURS = 100

export const ERRORS: CsvColumns<Item<ErrorsReport>> = {
  date: ({ date }) => date,
  container_exec: ({ container_exec }) => container_exec,
  container_start: ({ container_start }) => container_start,
  subagent_dispatch: ({ subagent_dispatch }) => subagent_dispatch,
  total: ({ total }) => total,
  model_call: ({ model_call }) => model_call,
}

type SizeRow = SpaceFields & Item<ContextSize>["days"][number]

export const CONTEXT_SIZE: CsvColumns<SizeRow> = {
  ...SPACE,
  date: ({ date }) => date,
  model_calls: ({ model_calls }) => model_calls,
  image_calls: ({ image_calls }) => image_calls,
  avg_tokens_input: ({ avg_tokens_input }) => avg_tokens_input,
  max_tokens_input: ({ max_tokens_input }) => max_tokens_input,
}

export const sizeRows = ({ days, ...space }: Item<ContextSize>): SizeRow[] => days.map((day) => ({ ...space, ...day }))

type RoleRow = Item<ContextComparison>["orchestrator"] & { date: string; role: string }

export const CONTEXT_COMPARISON: CsvColumns<RoleRow> = {
  date: ({ date }) => date,
  role: ({ role }) => role,
  model_calls: ({ model_calls }) => model_calls,
  image_calls: ({ image_calls }) => image_calls,
  tokens_input: ({ tokens_input }) => tokens_input,
  tokens_cached: ({ tokens_cached }) => tokens_cached,
  avg_context_tokens: ({ avg_context_tokens }) => avg_context_tokens,
  cache_hit_rate: ({ cache_hit_rate }) => cache_hit_rate,
}

export const roleRows = ({ items }: ContextComparison): RoleRow[] =>
  items.flatMap(({ date, orchestrator, subagent }) => [
    { date, role: "orchestrator", ...orchestrator },
    { date, role: "subagent", ...subagent },
  ])
