import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import { queryOf, useRead } from "../api/query.ts"
import { listKeysQuery, listSpacesQuery, TurnRules } from "../api/rules.ts"
import { firstTurnCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, RangePicker, TextFilter } from "../ui/filter-bar.tsx"
import { ButtonLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { turnsPages } from "./pages.ts"
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
  const spaces = useRead("listSpaces", {
    query: { archived: "all", test: tested, limit: listSpacesQuery.limit.maximum },
  })
  const keys = useRead("listKeys", { query: { test: tested, limit: listKeysQuery.limit.maximum } })
  const titles = new Map(spaces.data?.items.map(({ space_id, title }) => [space_id, title]))
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
        <ChoiceFilter label="Space" name="space" value={set.space} all="All spaces" options={[...titles]} />
        <ChoiceFilter
          label="API key"
          name="key"
          value={set.key}
          all="All keys"
          options={keys.data?.items.map(({ key_id, name }) => [key_id, name] as const) ?? []}
        />
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
                  <NoTurns space={spaces.data?.items.find(({ archived }) => !archived)?.space_id} />
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

const NoTurns = ({ space }: { space: string | undefined }) => (
  <EmptyState title="No turns yet" curl={firstTurnCurl(space)}>
    Send a turn from your server with an API key, or from the playground. It appears here immediately.
  </EmptyState>
)
