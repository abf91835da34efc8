import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { queryOf, useRead } from "../api/query.ts"
import { TurnRules } from "../api/rules.ts"
import { useSpaceTitles } from "../api/titles.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, RangePicker, TextFilter } from "../ui/filter-bar.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { KeyFilter, SpaceFilter } from "../ui/pickers.tsx"
import { Read } from "../ui/read.tsx"
import { turnsPages } from "./pages.ts"
import { firstTurnAsCurl } from "./turn-code.ts"
import { TurnTable } from "./turn-table.tsx"
import { isOpenTurn } from "./turn-words.ts"

const LIVE_MS = 3000

export function TurnsPage() {
  const { test, offset = 0, ...set } = useSearch({ from: "/app/turns" })
  const tested = test && "true"
  const turns = useQuery({
    ...queryOf("listTurns", { query: { ...set, test: tested, limit: PAGE_ROWS, offset } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => state.data?.items.some((turn) => isOpenTurn(turn.state)) && LIVE_MS,
  })
  const titles = useSpaceTitles(turns.data?.items.map(({ space }) => space) ?? [], test)
  const isFiltered = Object.values(set).some((value) => value !== undefined)
  return (
    <Page
      {...turnsPages.list}
      action={
        <ButtonLink kind="primary" to="/playground">
          Send a turn
        </ButtonLink>
      }
    >
      <FilterBar set={set}>
        <ChoiceFilter label="State" name="state" value={set.state} all="All states" options={TurnRules.state.words} />
        <SpaceFilter value={set.space} test={test} />
        <KeyFilter value={set.key} test={test} />
        <TextFilter label="End user" name="end_user_ref" value={set.end_user_ref} />
        <TextFilter label="Conversation id (conv_…)" name="conversation" value={set.conversation} />
        <RangePicker from={set.created_after} to={set.created_before} names={["created_after", "created_before"]} />
      </FilterBar>
      <Read of={turns} rows={8}>
        {({ items, total }) => (
          <>
            <TurnTable
              turns={items}
              titles={titles}
              stale={turns.isPlaceholderData}
              empty={
                isFiltered ? (
                  <EmptyState title="No turns match these filters">Change the filters, or clear them.</EmptyState>
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

function NoTurns({ test }: { test: true | undefined }) {
  const spaces = useRead("listSpaces", { query: { test: test && "true", limit: 1 } })
  return (
    <EmptyState title="No turns yet" curl={firstTurnAsCurl(spaces.data?.items[0]?.space_id)}>
      Send a turn from your server with an API key, or from the playground. It appears here immediately.
    </EmptyState>
  )
}
