import type { ReactNode } from "react"
import { TurnRules } from "../api/rules.ts"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { CreatedRange } from "../ui/range.tsx"
import type { ExplorerSearch } from "./turn-search.ts"
import { WAITING_FILTER } from "./wait-words.ts"

interface TurnFiltersProps {
  search: ExplorerSearch
  /** Further filters at the start of the menu. */
  children?: ReactNode
  /** The names of the further filters with their values. */
  more?: Record<string, unknown>
  end?: ReactNode
  /** The word under which this browser keeps saved views. */
  views: string
  /** True if the search also reads the texts of turns. */
  texts: boolean
}

/** The filters that owners and operators share. */
export function TurnFilters({ search, children, more = {}, end, views, texts }: TurnFiltersProps) {
  const { sort: _sort, direction: _direction, offset: _offset, ...set } = search
  return (
    <FilterBar
      set={{ ...set, ...more }}
      views={views}
      end={end}
      filters={
        <>
          {children}
          <ChoiceFilter label="State" name="state" value={set.state} all="All states" options={TurnRules.state.words} />
          <ChoiceFilter
            label="Waiting"
            name="waiting"
            value={set.waiting}
            all="Waiting or not"
            options={WAITING_FILTER}
          />
          <TextFilter label="End user" name="end_user_ref" value={set.end_user_ref} />
          <TextFilter label="Reason or error code" name="reason" value={set.reason} />
          <TextFilter label="Min cost (USD)" name="min_cost_usd" value={set.min_cost_usd} />
          <TextFilter label="Min seconds" name="min_seconds" value={set.min_seconds} />
          <TextFilter label="Conversation id" name="conversation" value={set.conversation} />
        </>
      }
    >
      <TextFilter label={texts ? "Id, customer, title or text" : "Id, customer or title"} name="q" value={set.q} wide />
      <CreatedRange of={set} usual="Last 30 days" />
    </FilterBar>
  )
}
