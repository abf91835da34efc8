import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { queryOf, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { firstTurnCurl } from "../ui/commands.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { KeyFilter, ModelFilter, SpaceFilter } from "../ui/pickers.tsx"
import { Read } from "../ui/read.tsx"
import { useSorting } from "../ui/sorting.ts"
import { Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { turnsPages } from "./pages.ts"
import { SUMMARY_COLUMNS } from "./summary-columns.tsx"
import { TurnFigures } from "./turn-figures.tsx"
import { TurnFilters } from "./turn-filters.tsx"
import { filtersOf } from "./turn-search.ts"
import { isOpenTurn } from "./turn-words.ts"

const LIVE_MS = 3000

export function TurnsPage() {
  const { test, ...search } = useSearch({ from: "/app/turns" })
  const { offset = 0, sort = "newest", direction = "desc" } = search
  const tested = { test: test && ("true" as const) }
  const filters = { ...filtersOf(search), ...tested }
  const order = { ...filters, sort, direction }
  const turns = useQuery({
    ...queryOf("exploreTurns", { query: { ...order, limit: PAGE_ROWS, offset } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => state.data?.items.some((turn) => isOpenTurn(turn.state)) && LIVE_MS,
  })
  const stats = useRead("getTurnStats", { query: filters })
  const sorting = useSorting(sort, direction)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const isFiltered = Object.values(filtersOf(search)).some((value) => value !== undefined)
  return (
    <Page
      {...turnsPages.list}
      action={
        <ButtonLink does="createChatTurn" kind="primary" to="/playground">
          Send a turn
        </ButtonLink>
      }
    >
      <TurnFilters views="turns" texts search={search} end={<CsvLink of="exploreTurns" input={{ query: order }} />}>
        <SpaceFilter value={search.space} test={test} />
        <KeyFilter value={search.key} test={test} />
        <ModelFilter value={search.model} test={test} />
      </TurnFilters>
      {stats.data && stats.data.turns > 0 && <TurnFigures of={stats.data} until={filters.created_before} />}
      <Read of={turns} rows={8}>
        {({ items, total }) => (
          <>
            <Table
              caption="Turns"
              list="turns"
              rows={items}
              rowKey={({ turn_id }) => turn_id}
              stale={turns.isPlaceholderData}
              sorting={sorting}
              columns={SUMMARY_COLUMNS}
              selection={{ chosen, onChange: setChosen, labelOf: ({ turn_id }) => `Choose the turn ${turn_id}` }}
              bar={<ChosenTurns chosen={chosen} onNone={() => setChosen(new Set())} />}
              empty={
                isFiltered ? (
                  <EmptyState title="No turns match these filters">
                    Change the filters, or clear them. Without a start, the last 30 days are searched.
                  </EmptyState>
                ) : (
                  <NoTurns test={test} />
                )
              }
            />
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
    </Page>
  )
}

/** The chosen turns, which may be on other pages, and what can be done with all of them. */
function ChosenTurns({ chosen, onNone }: { chosen: ReadonlySet<string>; onNone: () => void }) {
  const copy = async () => {
    await navigator.clipboard.writeText([...chosen].join("\n"))
    toast("The ids of the chosen turns are copied.")
  }
  return (
    <>
      <span role="status" className="text-muted">
        {chosen.size > 0 && `${chosen.size} chosen`}
      </span>
      {chosen.size > 0 && (
        <>
          <Button icon="copy" onClick={() => void copy()}>
            Copy ids
          </Button>
          <Button kind="quiet" onClick={onNone}>
            Choose none
          </Button>
        </>
      )}
    </>
  )
}

function NoTurns({ test }: { test: true | undefined }) {
  const spaces = useRead("listSpaces", { query: { test: test && "true", limit: 1 } })
  return (
    <EmptyState title="No turns in the last 30 days" curl={firstTurnCurl(spaces.data?.items[0]?.space_id)}>
      Send a turn from your server with an API key, or from the playground. It appears here immediately. Choose a start
      to see older turns.
    </EmptyState>
  )
}
