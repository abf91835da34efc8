import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import type { Overview } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { startOfDay } from "../ui/days.ts"
import { KeyValues, Stat, Stats } from "../ui/facts.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { counted } from "../ui/numbers.ts"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Count, Money, Time } from "../ui/values.tsx"
import { BilledChart } from "./billed-chart.tsx"
import { ErrorCounts, PoolCounts } from "./overview-parts.tsx"
import { operatorPages } from "./pages.ts"
import { ServiceLevelSection } from "./service-level.tsx"
import { Waits, waitingOf } from "./waiting-work.tsx"

const LIVE_MS = 10_000

export function OverviewPage() {
  const { days = 1 } = useSearch({ from: "/app/admin/operator" })
  const overview = useQuery({ ...queryOf("getOverview"), refetchInterval: LIVE_MS })
  return (
    <Page
      {...operatorPages.overview}
      action={
        <ButtonLink to="/operator/system" kind="primary">
          View system
        </ButtonLink>
      }
    >
      <ServiceLevelSection days={days} />
      <Read of={overview} rows={12}>
        {(data) => <Figures of={data} />}
      </Read>
    </Page>
  )
}

/** A link to the turns of today (UTC) in a state. */
const TodaysTurns = ({ state }: { state: "failed" | "cancelled" }) => (
  <TextLink to="/operator/turns" search={{ state, created_after: startOfDay() }}>
    View turns
  </TextLink>
)

/** The bills of a period, with what the calls have cost us and what was refunded. */
const Billed = ({ label, of, period }: { label: string; of: Overview; period: keyof Overview["billed"] }) => (
  <Stat
    label={label}
    hint={
      <>
        cost for us <Money usd={of.cost[period]} />, margin <Money usd={of.margin[period]} />
        {of.refunded[period] > 0 && (
          <>
            , refunded <Money usd={of.refunded[period]} />
          </>
        )}
      </>
    }
  >
    <Money usd={of.billed[period]} />
  </Stat>
)

function Figures({ of }: { of: Overview }) {
  const { counts, turns } = of
  const waits = waitingOf(turns)
  return (
    <>
      <Section title="Turns" action={<span className="text-muted text-xs">Updated every 10 seconds</span>}>
        <Stats>
          <Stat
            label="Running"
            hint={
              <TextLink to="/operator/turns" search={{ state: "running" }}>
                View turns
              </TextLink>
            }
          >
            <Count value={turns.running} />
          </Stat>
          <Stat
            label="Waiting"
            hint={
              waits > 0 && (
                <TextLink to="/operator/turns" search={{ waiting: "any" }}>
                  View turns
                </TextLink>
              )
            }
          >
            <Count value={waits} />
          </Stat>
          <Stat
            label="Queued"
            hint={
              turns.oldest_queued_at && (
                <>
                  oldest <Time at={turns.oldest_queued_at} />
                </>
              )
            }
          >
            <Count value={turns.queued} />
          </Stat>
          <Stat label="Done today">
            <Count value={turns.today.done} />
          </Stat>
          <Stat label="Failed today" hint={<TodaysTurns state="failed" />}>
            <Count value={turns.today.failed} />
          </Stat>
          <Stat label="Cancelled today" hint={<TodaysTurns state="cancelled" />}>
            <Count value={turns.today.cancelled} />
          </Stat>
        </Stats>
        <Waits turns={turns} />
      </Section>
      <Section
        title="Money"
        action={
          <TextLink to="/operator/analytics/costs" className="text-xs">
            Costs and margins
          </TextLink>
        }
      >
        <Stats>
          <Billed label="Billed today (UTC)" of={of} period="today_usd" />
          <Billed label="Billed in 7 days (UTC)" of={of} period="days_7_usd" />
          <Billed label="Billed in 30 days (UTC)" of={of} period="days_30_usd" />
          <Stat label="Balances">
            <Money usd={counts?.money.balance_usd} />
          </Stat>
          <Stat label="Held by open turns">
            <Money usd={counts?.money.held_usd} />
          </Stat>
        </Stats>
        <BilledChart />
      </Section>
      <Section
        title="People"
        action={
          counts && (
            <span className="text-muted text-xs">
              Counted <Time at={counts.counted_at} />
            </span>
          )
        }
      >
        <Stats>
          <Stat label="Users">
            <Count value={counts?.people.total} />
          </Stat>
          <Stat label="Active in 24 hours">
            <Count value={counts?.people.active_1_day} />
          </Stat>
          <Stat label="Active in 7 days">
            <Count value={counts?.people.active_7_days} />
          </Stat>
          <Stat label="Active in 30 days">
            <Count value={counts?.people.active_30_days} />
          </Stat>
          <Stat label="Spaces">
            <Count value={counts?.spaces.total} />
          </Stat>
        </Stats>
      </Section>
      <div className="grid gap-x-10 gap-y-5 xl:grid-cols-2">
        <Section title="Infrastructure failures, 24 hours">
          <ErrorCounts errors={of.errors} />
        </Section>
        <Section title="Reconciliation">
          <Books of={of.reconciliation} />
        </Section>
      </div>
      <Section
        title="Provider pools"
        action={
          <TextLink to="/operator/providers" className="text-xs">
            Provider accounts
          </TextLink>
        }
      >
        <PoolCounts pools={of.pools} />
      </Section>
    </>
  )
}

function Books({ of }: { of: Overview["reconciliation"] }) {
  if (!of) return <p className="text-muted">No reconciliation has finished yet. One starts every day.</p>
  const clean = of.findings === 0
  return (
    <KeyValues
      entries={[
        [
          "Last reconciliation",
          <span key="pass" className="inline-flex flex-wrap items-center gap-2">
            <Status word={clean ? "no findings" : counted(of.findings, "finding")} tone={clean ? "ok" : "bad"} />
            <TextLink to="/operator/system">Details</TextLink>
          </span>,
        ],
        ["Scope", of.scope === "all" ? "all history" : "changes since the previous reconciliation"],
        ["Finished", <Time key="finished" at={of.finished_at} />],
      ]}
    />
  )
}
