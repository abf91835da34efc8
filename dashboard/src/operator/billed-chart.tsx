import { useRead } from "../api/query.ts"
import { Chart } from "../ui/chart.tsx"
import { Read } from "../ui/read.tsx"

const DAYS = 30

/** The amount billed per day for all accounts, one account or one chat. */
export function BilledChart({ userId, chatKey }: { userId?: number; chatKey?: string }) {
  const usage = useRead("getDailyUsage", { query: { days: DAYS, user_id: userId, chat_key: chatKey } })
  return (
    <Read of={usage} rows={7}>
      {(days) =>
        Array.isArray(days) ? (
          <Chart
            title={`Billed by day, USD, ${DAYS} days (UTC)`}
            kind="bars"
            series={[{ key: "billed", label: "Billed" }]}
            points={days.map(({ date, billed_cost_usd }) => ({
              label: date,
              values: { billed: billed_cost_usd },
            }))}
            unit="usd"
          />
        ) : null
      }
    </Read>
  )
}
