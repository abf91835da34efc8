import { useSearch } from "@tanstack/react-router"
import type { ConfigVersionSummary } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { ChoiceFilter, FilterBar, useFilters } from "../ui/filter-bar.tsx"
import { Section } from "../ui/page.tsx"
import { CursorPager } from "../ui/pager.tsx"
import { Read } from "../ui/read.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Time } from "../ui/values.tsx"
import { type SpaceTabProps, useSpaceInput } from "./space-parts.ts"
import { VersionDiff } from "./version-diff.tsx"

const ROWS = 25

export function VersionsTab({ space }: SpaceTabProps) {
  const { path, query } = useSpaceInput()
  const { cursor, older, newer } = useSearch({ from: "/app/spaces/$spaceId" })
  const versions = useRead("listConfigVersions", { path, query: { ...query, limit: ROWS, cursor: cursor?.toString() } })
  const right = newer ?? space.config_version
  const left = older ?? right - 1
  return (
    <>
      <Section title="Compare versions">
        <Choices rows={versions.data?.data ?? []} older={older} newer={newer} left={left} right={right} />
        {left < 1 ? (
          <p className="text-muted">This is the first version, so there is no earlier version to compare with.</p>
        ) : (
          <Difference left={left} right={right} />
        )}
      </Section>
      <Section title="Versions">
        <Read of={versions}>
          {({ data, next_cursor }) => (
            <>
              <Table
                caption="Versions of the configuration, newest first"
                rows={data}
                rowKey={({ version }) => version}
                columns={COLUMNS}
                stale={versions.isPlaceholderData}
              />
              <CursorPager cursor={cursor === undefined ? undefined : String(cursor)} next={next_cursor} />
            </>
          )}
        </Read>
      </Section>
    </>
  )
}

interface ChoicesProps {
  rows: ConfigVersionSummary[]
  older: number | undefined
  newer: number | undefined
  left: number
  right: number
}

function Choices({ rows, older, newer, left, right }: ChoicesProps) {
  const numbers = [...new Set([...rows.map(({ version }) => version), left, right])]
    .filter((version) => version > 0)
    .sort((a, b) => b - a)
    .map(String)
  const options = numbers.map((version) => [version, `Version ${version}`] as const)
  return (
    <FilterBar set={{ older, newer }}>
      <ChoiceFilter
        label="Older version"
        name="older"
        value={older === undefined ? undefined : String(older)}
        all="Previous version"
        options={options}
      />
      <span className="flex h-8 items-center text-muted">and</span>
      <ChoiceFilter
        label="Newer version"
        name="newer"
        value={newer === undefined ? undefined : String(newer)}
        all="Current version"
        options={options}
      />
    </FilterBar>
  )
}

function Difference({ left, right }: { left: number; right: number }) {
  const { path, query } = useSpaceInput()
  const before = useRead("getConfigVersion", { path: { ...path, version: left }, query })
  const after = useRead("getConfigVersion", { path: { ...path, version: right }, query })
  const error = before.error ?? after.error
  if (error) return <ErrorState error={error} onRetry={() => void Promise.all([before.refetch(), after.refetch()])} />
  if (!before.data || !after.data) return <Skeleton rows={6} />
  return <VersionDiff before={before.data} after={after.data} />
}

const COLUMNS: Column<ConfigVersionSummary>[] = [
  { title: "Version", cell: ({ version }) => <Count value={version} /> },
  { title: "Change", cell: ({ change }) => <code>{change}</code> },
  { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Actions", actions: true, cell: ({ version }) => version > 1 && <ShowChange version={version} /> },
]

function ShowChange({ version }: { version: number }) {
  const choose = useFilters()
  return (
    <Button kind="quiet" onClick={() => choose({ older: version - 1, newer: version })}>
      Show changes<span className="sr-only"> (version {version})</span>
    </Button>
  )
}
