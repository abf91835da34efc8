import { useRead } from "../api/query.ts"
import { getTopSpacesQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Count } from "../ui/values.tsx"
import { LimitFilter } from "./limit-filter.tsx"
import { analyticsPages } from "./pages.ts"
import { Ranked, Scope, UsedStats, useReportSearch } from "./report-parts.tsx"
import { OwnerLink, SpaceLink } from "./space-link.tsx"

const DAYS = getTopSpacesQuery.days.default

export function AnalyticsTopSpacesPage() {
  const search = useReportSearch()
  const { limit = getTopSpacesQuery.limit.default } = search
  const input = { query: { ...reportedOf(search, DAYS), limit } }
  const report = useRead("getTopSpaces", input)
  return (
    <Page {...analyticsPages.topSpaces}>
      <FilterBar set={reportedSet(search)} end={<CsvLink of="getTopSpaces" input={input} />}>
        <ReportedFilter range={search} usual={DAYS} />
        <LimitFilter limit={limit} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <UsedStats of={data.total} />
            <Ranked
              title="Spaces"
              items={data.items}
              other={data.other}
              total={data.total}
              rowKey={({ space_id }) => space_id}
              first={[
                { title: "Space", cell: (row) => <SpaceLink {...row} /> },
                { title: "Owner", cell: ({ owner_id }) => <OwnerLink owner_id={owner_id} /> },
              ]}
            />
            <p className="text-muted">
              Showing <Count value={data.items.length} /> spaces.
            </p>
          </>
        )}
      </Read>
    </Page>
  )
}
