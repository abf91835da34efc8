import { useSearch } from "@tanstack/react-router"
import type { AdminTurnSummary } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { listAllTurnsQuery } from "../api/rules.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Seconds, When } from "../ui/figures.tsx"
import { ChoiceFilter, TextFilter } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { useSorting } from "../ui/sorting.ts"
import { type Column, Table } from "../ui/table.tsx"
import { Id } from "../ui/values.tsx"
import { allTurnsPages } from "./pages.ts"
import { TurnCost } from "./turn-cost.tsx"
import { TurnFigures } from "./turn-figures.tsx"
import { TurnFilters } from "./turn-filters.tsx"
import { filtersOf } from "./turn-search.ts"
import { ModelName, SummaryState } from "./turn-table.tsx"

/** The explorer of operators: turns of all accounts, without their texts. */
export function AllTurnsPage() {
  const { test, user_id, failure, provider, ...search } = useSearch({ from: "/app/admin/operator/turns" })
  const { offset = 0, sort = "newest", direction = "desc" } = search
  const filters = { ...filtersOf(search), user_id, failure, provider, test: test && ("true" as const) }
  const order = { ...filters, sort, direction }
  const turns = useRead("listAllTurns", { query: { ...order, limit: PAGE_ROWS, offset } })
  const stats = useRead("getAllTurnStats", { query: filters })
  const sorting = useSorting(sort, direction)
  return (
    <Page {...allTurnsPages.list}>
      <TurnFilters
        views="all-turns"
        texts={false}
        search={search}
        more={{ user_id, failure, provider }}
        end={<CsvLink of="listAllTurns" input={{ query: order }} />}
      >
        <TextFilter label="User id" name="user_id" value={user_id === undefined ? undefined : String(user_id)} />
        <ChoiceFilter
          label="Infrastructure failure"
          name="failure"
          value={failure}
          all="With and without failures"
          options={listAllTurnsQuery.failure.words}
        />
        <TextFilter label="Model" name="model" value={search.model} />
        <TextFilter label="Provider account" name="provider" value={provider} />
      </TurnFilters>
      {stats.data && stats.data.turns > 0 && <TurnFigures of={stats.data} until={filters.created_before} />}
      <Read of={turns} rows={8}>
        {({ items, total }) => (
          <>
            <Table
              caption="Turns of all accounts"
              list="all-turns"
              rows={items}
              rowKey={({ turn_id }) => turn_id}
              stale={turns.isPlaceholderData}
              sorting={sorting}
              columns={COLUMNS}
              empty={
                <EmptyState title="No turns match these filters">
                  {provider && !failure
                    ? "The calls of a provider account are searched for a day, or with a start for at most 7 days."
                    : "Without a start, the last 30 days are searched."}{" "}
                  Texts are not searched.
                </EmptyState>
              }
            />
            <OffsetPager offset={offset} total={total} />
          </>
        )}
      </Read>
    </Page>
  )
}

const COLUMNS: Column<AdminTurnSummary>[] = [
  { title: "Turn", cell: ({ turn_id }) => <Id id={turn_id} href={`/operator/turns/${turn_id}`} /> },
  { title: "State", cell: (turn) => <SummaryState of={turn} /> },
  {
    title: "Account",
    cell: ({ account: { user_id, name, email } }) => (
      <TextLink
        to="/operator/users/$userId"
        params={{ userId: String(user_id) }}
        className="block max-w-[24ch] truncate"
      >
        {name ?? email ?? `user ${user_id}`}
      </TextLink>
    ),
  },
  {
    title: "Space",
    cell: ({ space, space_title }) => (
      <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: space }} className="block max-w-[18ch] truncate">
        {space_title}
      </TextLink>
    ),
  },
  { title: "API key", rare: true, cell: ({ key }) => (key ? key.name : <span className="text-muted">none</span>) },
  {
    title: "End user",
    cell: ({ end_user_ref }) =>
      end_user_ref === "" ? (
        <span className="text-muted">web chat</span>
      ) : (
        <span className="block max-w-[22ch] truncate">{end_user_ref}</span>
      ),
  },
  { title: "Model", cell: ({ model }) => <ModelName pin={model} /> },
  { title: "Cost", sort: "cost", right: true, cell: (turn) => <TurnCost of={turn} /> },
  { title: "Duration", sort: "duration", right: true, cell: ({ seconds }) => <Seconds value={seconds} /> },
  { title: "Created", timed: true, sort: "newest", right: true, cell: ({ created_at }) => <When at={created_at} /> },
]
