import { keepPreviousData, usePrefetchQuery, useQuery } from "@tanstack/react-query"
import { useRouteContext, useSearch } from "@tanstack/react-router"
import { type ReactNode, useEffect, useState } from "react"
import { queryOf, useRead } from "../api/query.ts"
import { TurnTable } from "../turns/turn-table.tsx"
import { isOpenTurn } from "../turns/turn-words.ts"
import { Chart } from "../ui/chart.tsx"
import { startOfDay } from "../ui/days.ts"
import { Stat } from "../ui/facts.tsx"
import { ForecastStat } from "../ui/forecast-stat.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { PlanStat } from "../ui/plan-stat.tsx"
import { Read } from "../ui/read.tsx"
import { useRefusal } from "../ui/rights.ts"
import { toast } from "../ui/toast.tsx"
import { Count, MoneyFigure } from "../ui/values.tsx"
import { FirstSteps } from "./first-steps.tsx"
import { attentionOf, NeedsYou } from "./needs-you.tsx"
import { homePages } from "./pages.ts"
import { hideSetup, isSetupHidden, needsGuide, stepsOf } from "./setup-steps.ts"

const LIVE_MS = 3000
const QUIET_MS = 10_000
const SHOWN = 5
const DAYS = 14
/** 1 USD is 10 energy. */
const ENERGY = 10
/** The width and a line of the list of what needs the owner. Both are reserved while the list loads. */
const RAIL = "min-h-5 xl:w-[352px] xl:shrink-0"

/** The height of the figures on a phone. It is reserved while they load. */
const FIGURES = "max-sm:min-h-[270px]"

export function HomePage() {
  const { test } = useSearch({ from: "/app" })
  const { user } = useRouteContext({ from: "/app" })
  const turns = useQuery({
    ...queryOf("listTurns", { query: { test: test && "true", limit: SHOWN } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data && (data.total === 0 || data.items.some(({ state }) => isOpenTurn(state)) ? LIVE_MS : QUIET_MS),
  })
  const setup = useSetup(test)
  const balance = useRead("getBalance")
  // The parts that show these appear after the balance. They are read together with it.
  usePrefetchQuery(queryOf("getForecast"))
  usePrefetchQuery(queryOf("getPlan"))
  usePrefetchQuery(attentionOf(test))
  const mode = test === true
  const [hidden, setHidden] = useState(() => isSetupHidden(user.user_id, mode))
  useEffect(() => setHidden(isSetupHidden(user.user_id, mode)), [user.user_id, mode])
  const facts = setup.data &&
    balance.data && { setup: setup.data, availableUsd: test ? undefined : balance.data.available_usd }
  // The first steps stay visible until the user leaves the page, even after the last one is done.
  const isOpen = facts !== undefined && stepsOf(facts).some(({ done }) => !done)
  // The steps are a developer's work.
  const refusal = useRefusal("createKey")
  const [newIn, setNewIn] = useState<boolean | null>(null)
  if (isOpen && !setup.isPlaceholderData && newIn !== mode) setNewIn(mode)
  const isShown = facts && newIn === mode && !hidden && !refusal
  const isGuided = isShown === true && needsGuide(facts)
  const hide = () => {
    hideSetup(user.user_id, mode, true)
    setHidden(true)
    const undo = () => {
      hideSetup(user.user_id, mode, false)
      setHidden(false)
    }
    toast("The first steps are hidden.", { undo })
  }
  return (
    <Page
      {...homePages.home}
      action={
        <ButtonLink does="createChatTurn" kind="primary" to="/playground">
          Send a turn
        </ButtonLink>
      }
    >
      <div className="flex flex-col gap-5 xl:flex-row-reverse xl:gap-8">
        <div className={isGuided ? "empty:hidden" : RAIL}>
          {facts && <NeedsYou test={test} topUpUrl={facts.setup.top_up_url} isNew={isGuided} />}
        </div>
        <div className="flex min-w-0 flex-1 flex-col gap-5">
          <Today />
          {isShown && <FirstSteps key={String(mode)} {...facts} test={test} onHide={hide} />}
          {!test && turns.data?.total !== 0 && <Spend />}
        </div>
      </div>
      <Read of={turns} rows={SHOWN + 1}>
        {({ items }) =>
          items.length > 0 && (
            <Section title="Latest turns" action={<TextLink to="/turns">All turns</TextLink>}>
              <TurnTable turns={items} caption="Latest turns" />
            </Section>
          )
        }
      </Read>
    </Page>
  )
}

/** How far the integration is, read again while something is left to do. */
const useSetup = (test: true | undefined) =>
  useQuery({
    ...queryOf("getSetup", { query: { test: test && "true" } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => data && (data.has_done_turn ? QUIET_MS : LIVE_MS),
  })

function Today() {
  const { test } = useSearch({ from: "/app" })
  const balance = useRead("getBalance")
  // The same request as the chart's.
  const energy = useRead("getEnergy", { query: { days: DAYS } })
  const today = energy.data?.days.at(-1)
  const turns = useRead("getTurnStats", { query: { test: test && "true", created_after: startOfDay() } })
  return (
    <div className={FIGURES}>
      <Read of={balance} rows={2}>
        {({ available_usd, held_usd }) => (
          <Headline>
            <Stat
              lead
              label={test ? "Balance (live)" : "Balance"}
              hint={
                held_usd > 0 ? (
                  <>
                    and <MoneyFigure usd={held_usd} /> held by open turns
                  </>
                ) : (
                  <TextLink to="/balance">Ledger</TextLink>
                )
              }
            >
              <MoneyFigure usd={available_usd} />
            </Stat>
            <Stat
              lead
              label={test ? "Spent today (live)" : "Spent today"}
              hint={`${test ? "by live turns, " : ""}since 00:00 UTC${today?.refunded ? ", less refunds" : ""}`}
            >
              <MoneyFigure usd={energy.data && ((today?.spent ?? 0) - (today?.refunded ?? 0)) / ENERGY} />
            </Stat>
            {!test && <ForecastStat />}
            <PlanStat />
            <Stat
              label="Turns today"
              hint={
                <TextLink to="/turns" search={{ created_after: startOfDay() }}>
                  View turns
                </TextLink>
              }
            >
              <Count value={turns.data?.turns} />
            </Stat>
            <Stat
              label="Failed today"
              hint={
                turns.data && turns.data.failed > 0 ? (
                  <TextLink to="/turns" search={{ created_after: startOfDay(), state: "failed" }}>
                    View failed turns
                  </TextLink>
                ) : (
                  "no failed turns"
                )
              }
            >
              <Count value={turns.data?.failed} />
            </Stat>
          </Headline>
        )}
      </Read>
    </div>
  )
}

/** The figures of Home in columns: money first and larger. */
const Headline = ({ children }: { children: ReactNode }) => (
  <dl className="grid grid-cols-2 items-start gap-x-6 gap-y-5 sm:grid-cols-3">{children}</dl>
)

function Spend() {
  const energy = useRead("getEnergy", { query: { days: DAYS } })
  return (
    <Section title={`Spend, last ${DAYS} days`} action={<TextLink to="/usage">Usage</TextLink>}>
      <Read of={energy} rows={7}>
        {({ days }) =>
          days.filter(({ spent }) => spent > 0).length < 2 ? (
            <p className="text-muted">The chart appears when turns were billed on two days.</p>
          ) : (
            <Chart
              title="Spent by day, USD (UTC)"
              kind="bars"
              series={[{ key: "spent", label: "Spent" }]}
              points={days.map(({ date, spent }) => ({ label: date, values: { spent: spent / ENERGY } }))}
              unit="usd"
            />
          )
        }
      </Read>
    </Section>
  )
}
