import { useRead } from "../api/query.ts"
import { AnomalyActs } from "./anomaly-acts.tsx"
import { onDayWithin } from "./days.ts"
import { Section } from "./page.tsx"
import { Money } from "./values.tsx"

const SHOWN = 5

/** The open anomalies of an end user or a key. Nothing is shown without one. */
export function UnusualSpend(of: { end_user_ref: string } | { key_id: string }) {
  const { data } = useRead("listAnomalies", { query: { state: "open", ...of, limit: SHOWN } })
  if (!data || data.items.length === 0) return null
  return (
    <Section title="Unusual spend">
      <ul className="flex flex-col rounded-md border border-line">
        {data.items.map((anomaly) => (
          <li
            key={anomaly.anomaly_id}
            className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-line border-b px-3 py-2 last:border-b-0"
          >
            <span>
              <Money usd={anomaly.spent_usd} /> {onDayWithin(anomaly.from, anomaly.to)} (UTC). The usual amount of such
              a day is <Money usd={anomaly.usual_usd} />.
            </span>
            <span className="flex flex-wrap items-center gap-x-3">
              <AnomalyActs {...anomaly} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
