import { Suspense } from "react"
import { wordsOfDays } from "./days.ts"
import { STEP, useFilters } from "./filter-bar.tsx"
import { lazyPart } from "./lazy-part.tsx"
import type { RangeMenuProps, RangePreset } from "./range-menu.tsx"
import { type CreatedSearch, RANGE_WORDS, RANGES, wordsOfEnds } from "./time-range.ts"

const RangeMenu = lazyPart(() => import("./range-menu.tsx").then((file) => ({ default: file.RangeMenu })))

/** The menu of a range. Its place is kept while it loads. */
const Range = (props: RangeMenuProps) => (
  <Suspense fallback={<span className="h-8 w-[120px]" />}>
    <RangeMenu {...props} />
  </Suspense>
)

interface ChoiceProps {
  shown: string
  presets: readonly RangePreset[]
  /** The parameters of the URL for the ends by dates, such as `["start", "end"]`. */
  names?: readonly [from: string, to: string]
  from?: string | undefined
  to?: string | undefined
}

/** Chooses a range in the URL. A preset and dates replace each other, and each choice is a step of the history. */
export function RangeChoice({ shown, presets, names, from, to }: ChoiceProps) {
  const change = useFilters()
  const others = Object.fromEntries(
    [...presets.flatMap(({ search }) => Object.keys(search)), ...(names ?? [])].map((name) => [name, undefined]),
  )
  return (
    <Range
      shown={shown}
      presets={presets}
      onPreset={({ search }) => change({ ...others, ...search }, STEP)}
      {...(names && {
        dates: {
          from,
          to,
          onChange: (first, last) => change({ ...others, [names[0]]: first, [names[1]]: last }, STEP),
        },
      })}
    />
  )
}

/** The range of a list by the creation of its entries. `usual`: the words for no range. */
export function CreatedRange({ of, usual = "Any time" }: { of: CreatedSearch; usual?: string }) {
  const { range, created_after: from, created_before: to } = of
  const presets = [
    { label: usual, search: {} },
    ...RANGES.filter((name) => RANGE_WORDS[name] !== usual).map((name) => ({
      label: RANGE_WORDS[name],
      search: { range: name },
    })),
  ]
  const shown = range ? RANGE_WORDS[range] : from || to ? wordsOfEnds(from, to) : usual
  return <RangeChoice shown={shown} presets={presets} names={["created_after", "created_before"]} from={from} to={to} />
}

/** The range of a chart as a number of days until now. */
export function DaysRange({ days, choices = [7, 30, 90] }: { days: number; choices?: readonly number[] }) {
  const presets = choices.map((count) => ({ label: wordsOfDays(count), search: { days: count } }))
  return <RangeChoice shown={wordsOfDays(days)} presets={presets} />
}
