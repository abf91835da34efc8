import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { TurnStats, UsageReport } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { getUsageQuery } from "../api/rules.ts"
import { wholeCurl } from "../ui/commands.ts"
import { CsvLink } from "../ui/csv-link.tsx"
import { wordsOfDays } from "../ui/days.ts"
import { EmptyState } from "../ui/empty-state.tsx"
import { exactUtc } from "../ui/exact-time.ts"
import { Stat, Stats } from "../ui/facts.tsx"
import { Percent, Seconds } from "../ui/figures.tsx"
import { FilterBar, TextFilter, useFilters } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { CursorPager } from "../ui/pager.tsx"
import { KeyFilter, ModelFilter, SpaceFilter } from "../ui/pickers.tsx"
import { RangeChoice } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { useSorting } from "../ui/sorting.ts"
import { endsOf, RANGE_WORDS, wordsOfEnds } from "../ui/time-range.ts"
import { Count, Money, MoneyFigure } from "../ui/values.tsx"
import { usagePages } from "./pages.ts"
import { UsageChart } from "./usage-chart.tsx"
import { GroupingFilter } from "./usage-grouping.tsx"
import { type GroupFilters, groupingLabel, usageQueryOf } from "./usage-search.ts"
import { Change, UsageTable } from "./usage-table.tsx"
import { usePrevious } from "./use-previous.ts"
import { useUsageNames } from "./use-usage-names.ts"

/** The maximum of the API, so that a chart of up to 100 days is complete. */
const ROWS = getUsageQuery.limit.maximum

const curl = () => wholeCurl("/v1/usage?group_by=day")

export function UsagePage() {
  const search = useSearch({ from: "/app/usage" })
  const { group_by = "day", cursor, sort = group_by === "day" ? "group" : "billed", direction = "desc" } = search
  const filters = usageQueryOf(search)
  const query = { ...filters, group_by, sort, direction }
  const sorting = useSorting(sort, direction)
  const change = useFilters()
  const report = useRead("getUsage", { query: { ...query, limit: ROWS, cursor } })
  const names = useUsageNames(group_by, report.data?.data.map(({ group }) => group) ?? [], search.test)
  const previous = usePrevious(
    report.data,
    {
      space: filters.space,
      model: filters.model,
      key: filters.key,
      end_user_ref: filters.end_user_ref,
      test: filters.test,
    },
    search,
  )
  const onFilter = (chosen: GroupFilters) =>
    change({ ...chosen, group_by: undefined, sort: undefined, direction: undefined }, { step: true })
  const { space, model, key, end_user_ref, test } = search
  const quality = useRead("getTurnStats", {
    query: {
      ...{ space, model, key, end_user_ref, test: test && ("true" as const) },
      created_after: query.from && new Date(query.from).toISOString(),
      created_before: query.to && new Date(query.to).toISOString(),
    },
  })
  return (
    <Page
      {...usagePages.usage}
      about={`${usagePages.usage.about} Only turns of API keys; the page Energy includes the web chat.`}
    >
      <UsageFilters end={<CsvLink of="getUsage" input={{ query }} />} />
      <Read of={report} rows={12}>
        {(data) => (
          <>
            <UsageStats report={data} quality={quality.data} before={previous?.total} />
            {data.data.length === 0 ? (
              <EmptyState title="No usage in this period" curl={curl()}>
                Send a turn to see its usage here. A turn counts on the day on which it ends.
              </EmptyState>
            ) : (
              <>
                <UsageChart report={data} previous={previous} names={names} onFilter={onFilter} />
                <Section title={groupingLabel(group_by)}>
                  <UsageTable
                    caption={`Usage ${groupingLabel(group_by).toLowerCase()}`}
                    report={data}
                    previous={previous}
                    names={names}
                    test={search.test}
                    stale={report.isPlaceholderData}
                    sorting={sorting}
                    onFilter={onFilter}
                  />
                  <CursorPager cursor={cursor} next={data.next_cursor} />
                </Section>
              </>
            )}
          </>
        )}
      </Read>
    </Page>
  )
}

interface UsageStatsProps {
  report: UsageReport
  /** The states and times of the turns of this period, with those of the web chat. */
  quality: TurnStats | undefined
  /** Billed in the period before. */
  before: number | undefined
}

/** Keeps the height of a hint that is still loading. */
const NO_HINT = "\u00a0"

const UsageStats = ({ report: { from, to, total }, quality, before }: UsageStatsProps) => (
  <div className="flex flex-col gap-3">
    <p className="text-muted text-xs">
      {exactUtc(from)} to {exactUtc(to)}
    </p>
    <Stats>
      <Stat
        label="Billed"
        hint={
          before === undefined ? (
            NO_HINT
          ) : (
            <>
              {total.refunded_usd > 0 && (
                <>
                  <Money usd={total.refunded_usd} /> refunded, net <Money usd={total.net_usd} />;{" "}
                </>
              )}
              <Money usd={before} /> in the period before (<Change now={total.net_usd} before={before} />)
            </>
          )
        }
      >
        <MoneyFigure usd={total.billed_usd} />
      </Stat>
      {isSold({ total }) && (
        <Stat
          label="Margin"
          hint={
            <>
              <Money usd={total.end_user_charge_usd} /> charged for <Money usd={total.charged_turns_billed_usd} />
            </>
          }
        >
          <MoneyFigure usd={total.margin_usd} />
        </Stat>
      )}
      <Stat
        label="Turns"
        hint={
          <>
            <Count value={total.model_calls} /> model calls
          </>
        }
      >
        <Count value={total.turns} />
      </Stat>
      {/* Both are there from the start, because a late figure would move the page. */}
      <Stat
        label="Success"
        hint={
          quality && quality.failed > 0 ? (
            <TextLink to="/turns" search={{ state: "failed", created_after: from, created_before: to }}>
              {quality.failed.toLocaleString()} failed
            </TextLink>
          ) : quality ? (
            "no failed turns"
          ) : (
            NO_HINT
          )
        }
      >
        <Percent share={quality?.success_rate ?? null} />
      </Stat>
      <Stat
        label="Latency, median"
        hint={
          quality ? (
            <>
              95% within <Seconds value={quality.p95_seconds} />
            </>
          ) : (
            NO_HINT
          )
        }
      >
        <Seconds value={quality?.p50_seconds ?? null} />
      </Stat>
      <Stat
        label="Input tokens"
        hint={
          <>
            <Count value={total.tokens_cached} /> cached
          </>
        }
      >
        <Count value={total.tokens_input} />
      </Stat>
      <Stat label="Output tokens">
        <Count value={total.tokens_output} />
      </Stat>
    </Stats>
  </div>
)

/** True if end users were charged for some of the turns. */
const isSold = ({ total }: Pick<UsageReport, "total">) => total.end_user_charge_usd !== null

const DAYS = [7, 30, 90].map((count) => ({ label: wordsOfDays(count), search: { days: count } }))

/** The months of statements, as of now, because a page may be open when a month ends. */
const monthPresets = () =>
  (["this_month", "last_month"] as const).map((name) => {
    const { created_after: from, created_before: to } = endsOf(name)
    return { label: RANGE_WORDS[name], search: { from, to } }
  })

/** The grouping and the filters of the report. */
function UsageFilters({ end }: { end: ReactNode }) {
  const { group_by, days = 30, from, to, space, model, key, end_user_ref, test } = useSearch({ from: "/app/usage" })
  return (
    <FilterBar
      set={{ from, to, space, model, key, end_user_ref }}
      views="usage"
      end={end}
      filters={
        <>
          <SpaceFilter value={space} test={test} />
          <ModelFilter value={model} test={test} />
          <KeyFilter value={key} test={test} />
          <TextFilter label="End user" name="end_user_ref" value={end_user_ref} />
        </>
      }
    >
      <GroupingFilter value={group_by === "day" ? undefined : group_by} test={test} />
      <RangeChoice
        shown={from || to ? wordsOfEnds(from, to) : wordsOfDays(days)}
        presets={[...DAYS, ...monthPresets()]}
        names={["from", "to"]}
        from={from}
        to={to}
      />
    </FilterBar>
  )
}
