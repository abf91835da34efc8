import { getDailyUsageQuery } from "../api/rules.ts"
import { choicesOf, type QueryWord } from "../api/words.ts"
import { countIn, instantIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { wordsOfDays } from "../ui/days.ts"
import { TextFilter } from "../ui/filter-bar.tsx"
import { RangeChoice } from "../ui/range.tsx"
import { wordsOfEnds } from "../ui/time-range.ts"

type Period = QueryWord<"getDailyUsage", "period">

/** The range in the URL: a number of days, a period by name, or the starts of two days. */
export interface RangeSearch {
  days?: number | undefined
  period?: Period | undefined
  start?: string | undefined
  end?: string | undefined
}

const PERIODS = choicesOf<Period>({
  today: "Today",
  yesterday: "Yesterday",
  this_week: "This week",
  last_week: "Last week",
  this_month: "This month",
  last_month: "Last month",
  this_year: "This year",
  last_year: "Last year",
})

/** Reads the range from the URL. */
export const rangeIn = (search: RawSearch): RangeSearch => ({
  days: countIn(search.days) || undefined,
  period: oneIn(search.period, getDailyUsageQuery.period.words),
  start: instantIn(search.start),
  end: instantIn(search.end),
})

/** The range as parameters of a report. `usual`: the days without a choice. A period takes precedence over days. */
export function rangeOf({ days, period, start, end }: RangeSearch, usual: number) {
  if (period) return { period }
  return { days: days ?? usual, ...(start && { start }), ...(end && { end }) }
}

/** What "Clear filters" of a report resets. */
export const rangeSet = ({ period, start, end }: RangeSearch) => ({ period, start, end })

interface RangeFilterProps {
  range: RangeSearch
  usual: number
  choices?: readonly number[]
}

/** Chooses the range of a report: the last days, a period by name, or two days (UTC). */
export function RangeFilter({
  range: { days, period, start, end },
  usual,
  choices = [7, 30, 90, 365],
}: RangeFilterProps) {
  const isByDays = !period && !start && !end
  return (
    <RangeChoice
      shown={
        isByDays
          ? wordsOfDays(days || usual)
          : (PERIODS.find(([name]) => name === period)?.[1] ?? wordsOfEnds(start, end))
      }
      presets={[
        ...choices.map((count) => ({ label: wordsOfDays(count), search: { days: count } })),
        ...PERIODS.map(([name, label]) => ({ label, search: { period: name } })),
      ]}
      names={["start", "end"]}
      from={start}
      to={end}
    />
  )
}

/** The range of a report on all accounts, and the brand of the accounts. */
export interface ReportedSearch extends RangeSearch {
  brand?: string | undefined
}

/** Reads the range and the brand from the URL. */
export const reportedIn = (search: RawSearch): ReportedSearch => ({ ...rangeIn(search), brand: textIn(search.brand) })

/** The range and the brand as parameters of a report. */
export const reportedOf = ({ brand, ...range }: ReportedSearch, usual: number) => ({
  ...rangeOf(range, usual),
  ...(brand && { brand }),
})

/** The parameters that "Clear filters" of a report on all accounts resets. */
export const reportedSet = ({ brand, ...range }: ReportedSearch) => ({ ...rangeSet(range), brand })

/** Chooses the range and the brand of a report. */
export function ReportedFilter({ range, ...rest }: RangeFilterProps & { range: ReportedSearch }) {
  return (
    <>
      <RangeFilter range={range} {...rest} />
      <TextFilter label="Brand" name="brand" value={range.brand} />
    </>
  )
}
