import type { Forecast } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Stat } from "./facts.tsx"
import { TextLink } from "./link.tsx"
import { MONEY } from "./numbers.ts"

/** An expected amount, which is never exact: `$41.20`. */
export const aboutUsd = (usd: number) => MONEY.rounded.format(usd)

/** How long the balance lasts, in words. */
export function lastsWords({ lasts_days: days, lasts_until: until }: Forecast): string {
  if (days === null) return "the balance lasts more than a year"
  if (days === 0) return "the balance is used up today"
  return `the balance lasts ${days === 1 ? "1 day" : `${days} days`}, until ${until}`
}

/** The expected spend of this month, and how long the balance lasts. */
export function ForecastStat() {
  const { data } = useRead("getForecast")
  return (
    <Stat
      lead
      label="Expected this month"
      hint={
        data?.pace ? (
          <>
            {lastsWords(data)}. <TextLink to="/balance">How it is computed</TextLink>
          </>
        ) : (
          // Keeps the height while it loads.
          (data && "three days after the first charge") || "\u00a0"
        )
      }
    >
      {data?.pace && data.expected_usd !== null ? aboutUsd(data.expected_usd) : <span className="text-muted">–</span>}
    </Stat>
  )
}
