import { useSearch } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { SpaceSummary } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { wholeCurl } from "../ui/commands.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { OffsetPager, PAGE_ROWS } from "../ui/pager.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Id, Time } from "../ui/values.tsx"
import { spacesPages } from "./pages.ts"
import { SHOWN_ARCHIVED } from "./words.ts"

const CreateSpace = lazyPart(() =>
  import("./create-space.tsx").then((module) => ({ default: module.CreateSpaceDialog })),
)

const EXAMPLE = { title: "Support", manifest: { instructions: "Answer in one sentence." } }

const curl = () => wholeCurl("/v1/spaces", { method: "POST", body: EXAMPLE })

export function SpacesPage() {
  const { q, archived, offset = 0, test } = useSearch({ from: "/app/spaces" })
  const [creating, setCreating] = useState(false)
  const spaces = useRead("listSpaces", { query: { q, archived, test: test && "true", limit: PAGE_ROWS, offset } })
  const open = (
    <Button does="createSpace" kind="primary" icon="plus" onClick={() => setCreating(true)}>
      Create a space
    </Button>
  )
  return (
    <Page {...spacesPages.list} action={open}>
      <FilterBar set={{ q, archived }}>
        <TextFilter label="Title or id" name="q" value={q} wide />
        <ChoiceFilter label="Archived" name="archived" value={archived} all="Active" options={SHOWN_ARCHIVED} />
      </FilterBar>
      {spaces.error && <ErrorState error={spaces.error} onRetry={() => void spaces.refetch()} />}
      {(spaces.data || !spaces.error) && (
        <Table
          caption="Spaces"
          list="spaces"
          columns={columnsOf(test)}
          rows={spaces.data?.items}
          rowKey={({ space_id }) => space_id}
          stale={spaces.isPlaceholderData}
          empty={
            q || archived ? (
              <EmptyState title="No spaces match these filters" />
            ) : (
              <EmptyState title="No spaces yet" curl={curl()}>
                A space holds one agent: its instructions, tools, files and secrets. Create one to send turns to it.
              </EmptyState>
            )
          }
        />
      )}
      <OffsetPager offset={offset} total={spaces.data?.total} />
      <Suspense>{creating && <CreateSpace test={test} onClose={() => setCreating(false)} />}</Suspense>
    </Page>
  )
}

const columnsOf = (test: true | undefined): Column<SpaceSummary>[] => [
  {
    title: "Space",
    cell: ({ space_id, title }) => (
      <TextLink to="/spaces/$spaceId" params={{ spaceId: space_id }} search={{ test }} className="font-strong">
        {title}
      </TextLink>
    ),
  },
  { title: "Id", cell: ({ space_id }) => <Id id={space_id} /> },
  {
    title: "State",
    cell: ({ archived }) => (archived ? <Status word="archived" /> : <span className="text-muted">active</span>),
  },
  { title: "Default model", cell: ({ model }) => (model ? <code>{model}</code> : "service default") },
  { title: "Your role", cell: ({ role, workspace_id }) => (workspace_id ? `${role}, shared` : role) },
  { title: "Version", right: true, cell: ({ config_version }) => <Count value={config_version} /> },
  { title: "Updated", right: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
]
