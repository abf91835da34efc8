import { useSearch } from "@tanstack/react-router"
import { useRead } from "../api/query.ts"
import { getUsageQuery } from "../api/rules.ts"
import { Chart } from "../ui/chart.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { everyDay, firstOfDays } from "../ui/days.ts"
import { FilterBar } from "../ui/filter-bar.tsx"
import { DaysRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"

/** The billed amount of an end user per day. */
export function EndUserSpend({ endUserRef }: { endUserRef: string }) {
  const { days = 30, test } = useSearch({ from: "/app/end-users/$endUserRef" })
  const query = {
    group_by: "day" as const,
    end_user_ref: [endUserRef],
    from: firstOfDays(Math.min(days, 90)),
    test: test && ("true" as const),
  }
  const usage = useRead("getUsage", { query: { ...query, limit: getUsageQuery.limit.maximum } })
  return (
    <>
      <FilterBar set={{}} end={<CsvLink of="getUsage" input={{ query }} />}>
        <DaysRange days={days} />
      </FilterBar>
      <Read of={usage} rows={7}>
        {({ data, from, to }) => {
          if (data.length === 0) return <p className="text-muted">Nothing was billed in this period.</p>
          const byDay = new Map(data.map((day) => [day.group, day.billed_usd]))
          return (
            <Chart
              title="Billed by day, USD (UTC)"
              kind="bars"
              series={[{ key: "billed", label: "Billed" }]}
              points={everyDay(from, to).map((label) => ({ label, values: { billed: byDay.get(label) ?? 0 } }))}
              unit="usd"
            />
          )
        }}
      </Read>
    </>
  )
}
