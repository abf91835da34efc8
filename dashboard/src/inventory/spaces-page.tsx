import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { AdminSpace } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { choicesOf, type QueryWord } from "../api/words.ts"
import { List } from "../operator/list.tsx"
import { curl, PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { useSorting } from "../ui/sorting.ts"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import { inventoryPages } from "./pages.ts"
import { ORIGINS } from "./words.ts"

const STATES = choicesOf<Exclude<QueryWord<"listSpaceInventory", "archived">, "active">>({
  archived: "Archived",
  all: "Active and archived",
})

const FindSpace = lazyPart(() => import("./space-find.tsx").then((file) => ({ default: file.FindSpace })))
const route = getRouteApi("/app/admin/operator/spaces")

const COLUMNS: Column<AdminSpace>[] = [
  {
    title: "Space",
    sort: "title",
    cell: ({ space_id, title, archived, test }) => (
      <span className="inline-flex flex-wrap items-center gap-2 max-sm:justify-end">
        <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: String(space_id) }}>
          {title}
        </TextLink>
        {archived && <Status word="archived" />}
        {test && <Status word="test" tone="warn" />}
      </span>
    ),
  },
  { title: "Slug", cell: ({ slug }) => <Id id={slug} /> },
  { title: "Owner", cell: ({ owner }) => <PersonName of={owner} /> },
  { title: "Origin", cell: ({ origin }) => origin },
  { title: "Brand", cell: ({ brand }) => brand },
  { title: "Model", cell: ({ model }) => (model ? <code>{model}</code> : <span className="text-muted">default</span>) },
  { title: "Turns", right: true, sort: "messages", cell: ({ messages }) => <Count value={messages} /> },
  { title: "Billed", right: true, sort: "cost", cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
  { title: "Created", right: true, sort: "created_at", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Last turn", right: true, sort: "last_activity", cell: ({ last_activity }) => <Time at={last_activity} /> },
]

export function AllSpacesPage() {
  const { offset = 0, test: _test, sort = "last_activity", direction = "desc", ...filters } = route.useSearch()
  const [finding, setFinding] = useState(false)
  const query = { ...filters, sort, direction }
  const spaces = useRead("listSpaceInventory", { query: { ...query, limit: PAGE_ROWS, offset } })
  const sorting = useSorting(sort, direction)
  return (
    <Page
      {...inventoryPages.spaces}
      action={
        <Button kind="primary" icon="search" onClick={() => setFinding(true)}>
          Open a space
        </Button>
      }
    >
      <FilterBar
        set={filters}
        end={<CsvLink of="listSpaceInventory" input={{ query }} />}
        filters={
          <>
            <ChoiceFilter label="Origin" name="origin" value={filters.origin} all="All origins" options={ORIGINS} />
            <ChoiceFilter label="State" name="archived" value={filters.archived} all="Active" options={STATES} />
            <TextFilter label="Brand" name="brand" value={filters.brand} />
            <TextFilter
              label="Owner's user id"
              name="owner_id"
              value={filters.owner_id === undefined ? undefined : String(filters.owner_id)}
            />
            <TextFilter label="Workspace" name="workspace_id" value={filters.workspace_id} />
          </>
        }
      >
        <TextFilter label="Title" name="q" value={filters.q} />
      </FilterBar>
      <List
        caption="Spaces"
        list="all-spaces"
        of={spaces}
        columns={COLUMNS}
        rowKey={({ space_id }) => space_id}
        sorting={sorting}
        empty={
          <EmptyState title="No spaces match these filters" curl={curl("/api/admin/spaces/list")}>
            Change the filters. Accounts create spaces with an API key, in the web app, or on the messaging platform.
          </EmptyState>
        }
      />
      {finding && (
        <Suspense>
          <FindSpace onClose={() => setFinding(false)} />
        </Suspense>
      )}
    </Page>
  )
}
