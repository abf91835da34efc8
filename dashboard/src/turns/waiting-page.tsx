import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { WaitingTurn } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, useFilters } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager } from "../ui/pager.tsx"
import { SpaceFilter } from "../ui/pickers.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"
import { turnsPages } from "./pages.ts"
import { EndUserOfTurn, SpaceOfTurn } from "./turn-table.tsx"
import { WaitBulk } from "./wait-bulk.tsx"
import { WaitCard } from "./wait-card.tsx"
import { limitName, WAIT_CHOICES } from "./wait-words.ts"

const LIVE_MS = 5000
const ROWS = 50

export function WaitingPage() {
  const { test, waiting, space, offset = 0 } = useSearch({ from: "/app/turns/waiting" })
  const waits = useQuery({
    ...queryOf("listWaitingTurns", { query: { waiting, space, test: test && "true", limit: ROWS, offset } }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  })
  return (
    <Page {...turnsPages.waiting} above={<TextLink to="/turns">Turns</TextLink>}>
      <FilterBar
        set={{ waiting, space }}
        filters={
          <>
            <ChoiceFilter label="Waits for" name="waiting" value={waiting} all="All reasons" options={WAIT_CHOICES} />
            <SpaceFilter value={space} test={test} />
          </>
        }
      />
      <Read of={waits} rows={6}>
        {({ items, total }) => (
          <>
            {items.length === 0 ? (
              <EmptyState title={waiting || space ? "No waiting turns match these filters" : "No turn waits"}>
                Turns that reach a limit with <code>on_limit: wait</code>, calls that need an approval, and calls whose
                result comes later appear here.
              </EmptyState>
            ) : (
              <Waits items={items} test={test} />
            )}
            <OffsetPager offset={offset} limit={ROWS} total={total} />
          </>
        )}
      </Read>
    </Page>
  )
}

/** The waiting turns as a table, and next to it the one that the URL names, or else the first. */
function Waits({ items, test }: { items: readonly WaitingTurn[]; test: true | undefined }) {
  const { turn } = useSearch({ from: "/app/turns/waiting" })
  const show = useFilters()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  // A turn that no longer waits is not chosen.
  const marked = items.filter(({ turn_id }) => chosen.has(turn_id))
  const open = items.find(({ turn_id }) => turn_id === turn) ?? items[0]
  return (
    <div className="grid items-start gap-x-8 gap-y-5 xl:grid-cols-[minmax(0,1fr)_400px]">
      <div className="flex min-w-0 flex-col gap-3">
        <Table
          caption="Waiting turns"
          list="waiting"
          rows={items}
          rowKey={({ turn_id }) => turn_id}
          columns={columnsOf(open?.turn_id, (id) => show({ turn: id }))}
          selection={{ chosen, onChange: setChosen, labelOf: ({ turn_id }) => `Choose the turn ${turn_id}` }}
          bar={<WaitBulk marked={marked} test={test} onNone={() => setChosen(new Set())} />}
        />
      </div>
      {open && <WaitCard key={open.turn_id} of={open} test={test} />}
    </div>
  )
}

const columnsOf = (open: string | undefined, onOpen: (turnId: string) => void): Column<WaitingTurn>[] => [
  {
    title: "Request",
    cell: ({ turn_id, text }) => (
      <button
        type="button"
        aria-pressed={turn_id === open}
        onClick={() => onOpen(turn_id)}
        className={`line-clamp-1 max-w-[36ch] break-all text-left hover:underline ${turn_id === open ? "font-strong" : "text-accent"}`}
      >
        {text || turn_id}
      </button>
    ),
  },
  { title: "Waits for", cell: ({ waiting }) => <span className="whitespace-nowrap">{subjectOf(waiting)}</span> },
  { title: "Space", cell: ({ space, space_title }) => <SpaceOfTurn id={space} title={space_title} /> },
  { title: "End user", cell: ({ end_user_ref }) => <EndUserOfTurn endUserRef={end_user_ref} /> },
  { title: "Since", right: true, cell: ({ waiting }) => <Time at={waiting.since} /> },
]

/** The limit or the tools that a turn waits for. */
function subjectOf({ for: reason, limit, calls }: WaitingTurn["waiting"]): string {
  if (limit) return limitName(limit.kind)
  const tools = [...new Set(calls.map(({ tool }) => tool))].join(", ")
  return reason === "approval" ? `a decision: ${tools}` : `a result: ${tools}`
}
