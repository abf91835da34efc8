import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { queryOf } from "../api/query.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager } from "../ui/pager.tsx"
import { SpaceFilter } from "../ui/pickers.tsx"
import { Read } from "../ui/read.tsx"
import { turnsPages } from "./pages.ts"
import { WaitCard } from "./wait-card.tsx"
import { WAIT_CHOICES } from "./wait-words.ts"

const LIVE_MS = 5000
const ROWS = 20

export function WaitingPage() {
  const { test, waiting, space, offset = 0 } = useSearch({ from: "/app/turns/waiting" })
  const waits = useQuery({
    ...queryOf("listWaitingTurns", { query: { waiting, space, test: test && "true", limit: ROWS, offset } }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  })
  return (
    <Page {...turnsPages.waiting} above={<TextLink to="/turns">Turns</TextLink>}>
      <FilterBar set={{ waiting, space }}>
        <ChoiceFilter label="Waits for" name="waiting" value={waiting} all="All reasons" options={WAIT_CHOICES} />
        <SpaceFilter value={space} test={test} />
      </FilterBar>
      <Read of={waits} rows={6}>
        {({ items, total }) => (
          <>
            {items.length === 0 && (
              <EmptyState title={waiting || space ? "No waiting turns match these filters" : "No turn waits"}>
                Turns that reach a limit with <code>on_limit: wait</code>, calls that need an approval, and calls whose
                result comes later appear here.
              </EmptyState>
            )}
            <ul className="flex flex-col gap-4">
              {items.map((wait) => (
                <li key={wait.turn_id}>
                  <WaitCard of={wait} test={test} />
                </li>
              ))}
            </ul>
            <OffsetPager offset={offset} limit={ROWS} total={total} />
          </>
        )}
      </Read>
    </Page>
  )
}
