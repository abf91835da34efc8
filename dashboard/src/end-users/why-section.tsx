import { useSearch } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { SUMMARY_COLUMNS } from "../turns/summary-columns.tsx"
import { firstOfDays } from "../ui/days.ts"
import { ChoiceFilter, FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Money } from "../ui/values.tsx"
import { UsageChart } from "../usage/usage-chart.tsx"
import { GROUPS, groupingLabel, METADATA } from "../usage/usage-search.ts"
import { Change, UsageTable } from "../usage/usage-table.tsx"
import { usePrevious } from "../usage/use-previous.ts"
import { useUsageNames } from "../usage/use-usage-names.ts"

const SHOWN = 5
const HOURS = 24
/** The groupings that explain the spend of one end user. */
const REASONS = GROUPS.filter(([group]) => !["day", "model", "end_user_ref"].includes(group))

/** The parts of an end user's spend, the change against the period before, and the dearest turns. */
export function EndUserWhy({ endUserRef }: { endUserRef: string }) {
  const { days = 30, why = "model", test } = useSearch({ from: "/app/end-users/$endUserRef" })
  const from = firstOfDays(Math.min(days, 90))
  const tested = { test: test && ("true" as const) }
  const query = { end_user_ref: [endUserRef], ...tested }
  const limit = why === "hour" ? HOURS : SHOWN
  const report = useRead("getUsage", { query: { ...query, group_by: why, from, sort: "billed", limit } })
  const previous = usePrevious(report.data, { ...query, space: undefined, model: undefined, key: undefined })
  const names = useUsageNames(why, report.data?.data.map(({ group }) => group) ?? [], test)
  const keys = useRead("getUsageKeys", { query: tested }).data?.keys ?? []
  const turns = useRead("exploreTurns", {
    query: {
      ...tested,
      end_user_ref: endUserRef,
      created_after: new Date(from).toISOString(),
      sort: "cost",
      limit: SHOWN,
    },
  })
  const topics = keys.map((key) => [METADATA + key, groupingLabel(METADATA + key)] as const)
  return (
    <>
      <Section
        title="Why"
        action={
          <TextLink to="/usage" search={{ group_by: why, end_user_ref: endUserRef, days, test }}>
            Open in Usage
          </TextLink>
        }
      >
        <FilterBar set={{}}>
          <ChoiceFilter
            label="Explain by"
            name="why"
            value={why === "model" ? undefined : why}
            all="By model"
            options={[...REASONS, ...topics]}
            read
          />
        </FilterBar>
        <Read of={report} rows={SHOWN}>
          {(data) =>
            data.data.length === 0 ? (
              <p className="text-muted">Nothing was billed in this period.</p>
            ) : (
              <>
                {previous && (
                  <p className="text-muted">
                    <Money usd={data.total.net_usd} /> in these days, <Money usd={previous.total} /> in the days before:{" "}
                    <Change now={data.total.net_usd} before={previous.total} />
                  </p>
                )}
                {data.group_by === "hour" ? (
                  <UsageChart report={data} previous={previous} names={names} />
                ) : (
                  <UsageTable
                    caption={`Spend ${groupingLabel(why).toLowerCase()}, the largest first`}
                    report={data}
                    previous={previous}
                    names={names}
                    test={test}
                    stale={report.isPlaceholderData}
                  />
                )}
              </>
            )
          }
        </Read>
      </Section>
      <Section
        title="Dearest turns"
        action={
          <TextLink
            to="/turns"
            search={{ end_user_ref: endUserRef, sort: "cost", created_after: new Date(from).toISOString(), test }}
          >
            All by cost
          </TextLink>
        }
      >
        <Read of={turns} rows={SHOWN}>
          {({ items }) => (
            <Table
              caption="The dearest turns, by cost"
              rows={items}
              rowKey={({ turn_id }) => turn_id}
              columns={SUMMARY_COLUMNS.filter(({ title }) => title !== "End user")}
              empty={<p className="text-muted">No turns in this period.</p>}
            />
          )}
        </Read>
      </Section>
    </>
  )
}
