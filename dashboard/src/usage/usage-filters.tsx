import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ChoiceFilter, DaysPicker, FilterBar, RangePicker, TextFilter } from "../ui/filter-bar.tsx"
import { GROUPS } from "./usage-search.ts"
import type { UsageNames } from "./use-usage-names.ts"

/** What usage is grouped by, and which of it is counted. */
export function UsageFilters({ names, end }: { names: UsageNames; end: ReactNode }) {
  const { group_by, days = 30, from, to, space, model, key, end_user_ref } = useSearch({ from: "/app/usage" })
  return (
    <FilterBar set={{ from, to, space, model, key, end_user_ref }} end={end}>
      <ChoiceFilter
        label="Grouped by"
        name="group_by"
        value={group_by === "day" ? undefined : group_by}
        all="By day"
        options={GROUPS.slice(1)}
      />
      <DaysPicker days={from || to ? 0 : days} choices={[7, 30, 90]} />
      <RangePicker from={from} to={to} names={["from", "to"]} />
      <ChoiceFilter label="Space" name="space" value={space} all="All spaces" options={[...names.space]} />
      <ChoiceFilter label="Model" name="model" value={model} all="All models" options={pinsOf(names)} />
      <ChoiceFilter label="API key" name="key" value={key} all="All keys" options={[...names.key]} />
      <TextFilter label="An end_user_ref" name="end_user_ref" value={end_user_ref} />
    </FilterBar>
  )
}

const pinsOf = ({ model }: UsageNames) => [...model.keys()].map((pin) => [pin, pin] as const)
