import { useSearch } from "@tanstack/react-router"
import type { SpaceSpend } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getSpaceSpendQuery } from "../api/rules.ts"
import { Chart } from "../ui/chart.tsx"
import { everyDay, firstOfDays } from "../ui/days.ts"
import { Stat, Stats } from "../ui/facts.tsx"
import { FilterBar } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { DaysRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Count, Money, MoneyFigure } from "../ui/values.tsx"
import { type SpaceTabProps, useSpaceInput } from "./space-parts.ts"

export function UseTab({ space }: SpaceTabProps) {
  const { path, query } = useSpaceInput()
  const { days = getSpaceSpendQuery.days.default, test } = useSearch({ from: "/app/spaces/$spaceId" })
  const spend = useRead("getSpaceSpend", { path, query: { ...query, days } })
  return (
    <>
      <FilterBar
        set={{}}
        end={
          <TextLink to="/turns" search={{ test, space: space.space_id } as never}>
            View turns
          </TextLink>
        }
      >
        <DaysRange days={days} />
      </FilterBar>
      <Read of={spend}>{(data) => <SpendOf data={data} />}</Read>
    </>
  )
}

function SpendOf({ data }: { data: SpaceSpend }) {
  const byDay = new Map(data.series.map((day) => [day.date, day]))
  const dates = everyDay(firstOfDays(data.days), new Date().toISOString())
  const rows = [
    ...data.people.map(({ user_id, name, ...used }) => ({ who: name ?? `User ${user_id}`, kind: "web chat", ...used })),
    { who: "API keys of the owner", kind: "keys", ...data.keys },
  ]
  return (
    <>
      <Stats>
        <Stat label="Spent" hint={`in ${data.days} days`}>
          <MoneyFigure usd={data.billed_usd} />
        </Stat>
        <Stat label="Turns" hint="that have ended">
          <Count value={data.turns} />
        </Stat>
        <Stat label="Average per turn">
          <Money usd={data.turns > 0 ? data.billed_usd / data.turns : null} />
        </Stat>
      </Stats>
      <Chart
        title="Spent by day, USD (UTC)"
        kind="bars"
        series={[{ key: "billed", label: "Spent" }]}
        points={dates.map((label) => ({ label, values: { billed: byDay.get(label)?.billed_usd ?? 0 } }))}
        unit="usd"
      />
      <Section title="Usage by user">
        <Table
          caption="Usage by user"
          rows={rows}
          rowKey={({ who, kind }) => `${kind} ${who}`}
          columns={[
            { title: "User", cell: ({ who }) => who },
            { title: "Source", cell: ({ kind }) => kind },
            { title: "Turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
            { title: "Spent", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
          ]}
        />
      </Section>
    </>
  )
}
