import { useState } from "react"
import type { Forecast } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Chart } from "../ui/chart.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { aboutUsd, lastsWords } from "../ui/forecast-stat.tsx"
import { counted } from "../ui/numbers.ts"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { MoneyFigure } from "../ui/values.tsx"

/** The forecast of the account with its method. */
export function ForecastSection() {
  const forecast = useRead("getForecast")
  return (
    <Section title="Forecast">
      <Read of={forecast} rows={4}>
        {(data) =>
          data.pace ? (
            <Expected forecast={data} pace={data.pace} />
          ) : (
            <p className="text-muted">The forecast appears three days after the first charge.</p>
          )
        }
      </Read>
    </Section>
  )
}

function Expected({ forecast, pace }: { forecast: Forecast; pace: NonNullable<Forecast["pace"]> }) {
  const { expected_usd, next_month_usd, spent_usd, month, credits } = forecast
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p>
        At this pace <strong>{aboutUsd(expected_usd ?? 0)}</strong> by {lastDayOf(month)}; {lastsWords(forecast)}.
      </p>
      <Stats>
        <Stat label="Spent this month" hint="less refunds, with the web chat">
          <MoneyFigure usd={spent_usd} />
        </Stat>
        <Stat label="Expected this month">{aboutUsd(expected_usd ?? 0)}</Stat>
        <Stat label="Expected next month">{aboutUsd(next_month_usd ?? 0)}</Stat>
      </Stats>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="cursor-pointer text-accent">How it is computed</summary>
        <div className="flex flex-col gap-3 pt-2">
          <p className="max-w-[80ch] text-muted">
            {pace.method === "weekdays"
              ? `Each day of the week has its own pace, from your last ${counted(pace.days, "day")}.`
              : `Every day has the same pace, the average of your ${counted(pace.days, "day")} so far. Days of the week differ after two weeks.`}{" "}
            Recent days count more, a single very high day counts only in part, and refunds lower the day on which they
            are booked. The forecast is the spend of this month so far and the pace of the days that are left.
            {pace.daily_cap_usd !== null && ` Your plan allows at most ${aboutUsd(pace.daily_cap_usd)} a day.`}
            {credits[0] && ` Your plan adds ${aboutUsd(credits[0].usd)} on ${credits[0].date}, which is counted.`} Test
            turns cost nothing.
          </p>
          {isOpen && (
            <Chart
              title="Expected by day of the week, USD"
              kind="bars"
              series={[{ key: "usd", label: "Expected" }]}
              points={pace.weekdays.map(({ weekday, usd }) => ({ label: weekday, values: { usd } }))}
              unit="usd"
            />
          )}
        </div>
      </details>
    </>
  )
}

/** The last day of a month (`2026-11`), such as "November 30". */
function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return new Date(Date.UTC(year, number, 0)).toLocaleDateString(undefined, {
    month: "long",
    day: "numeric",
    timeZone: "UTC",
  })
}
