import { useRead } from "../api/query.ts"
import { getSubscriptionSpacesQuery } from "../api/rules.ts"
import { ReportedFilter, reportedOf, reportedSet } from "../operator/report-range.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { analyticsPages } from "./pages.ts"
import { Ranked, Scope, UsedStats, usedColumns, useReportSearch } from "./report-parts.tsx"
import { SpaceLink } from "./space-link.tsx"

/** The number of pairs in the table; the CSV file has every pair. */
const SHOWN = 100

const DAYS = getSubscriptionSpacesQuery.days.default

export function AnalyticsSubscriptionsPage() {
  const search = useReportSearch()
  const { subscription_id, chat_key } = search
  const input = {
    query: {
      ...reportedOf(search, DAYS),
      limit: SHOWN,
      ...(subscription_id && { subscription_id }),
      ...(chat_key && { chat_key }),
    },
  }
  const report = useRead("getSubscriptionSpaces", input)
  return (
    <Page {...analyticsPages.subscriptions}>
      <FilterBar
        set={{ ...reportedSet(search), subscription_id, chat_key }}
        end={<CsvLink of="getSubscriptionSpaces" input={input} />}
      >
        <ReportedFilter range={search} usual={DAYS} choices={[7, 30, 90]} />
        <TextFilter label="Provider account" name="subscription_id" value={subscription_id} />
        <TextFilter label="Chat key" name="chat_key" value={chat_key} />
      </FilterBar>
      <Read of={report}>
        {(data) => (
          <>
            <Scope report={data} />
            <UsedStats of={data.total} />
            <Section title="Provider accounts">
              <Table
                caption="Usage by provider account"
                rows={data.providers}
                rowKey={({ provider_key }) => provider_key}
                columns={[
                  { title: "Provider account", cell: ({ provider_key }) => <code>{provider_key}</code> },
                  ...usedColumns(true),
                ]}
                empty={<p className="text-muted">No model was called in this range.</p>}
              />
            </Section>
            <Ranked
              title="Provider accounts and spaces"
              items={data.items}
              other={data.other}
              total={data.total}
              rowKey={({ provider_key, space_id }) => `${provider_key} ${space_id}`}
              costs
              first={[
                { title: "Provider account", cell: ({ provider_key }) => <code>{provider_key}</code> },
                { title: "Space", cell: (row) => <SpaceLink {...row} /> },
              ]}
            />
          </>
        )}
      </Read>
    </Page>
  )
}
