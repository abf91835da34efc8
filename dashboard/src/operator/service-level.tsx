import { useQuery } from "@tanstack/react-query"
import type { ServiceLevel } from "../api/operations.ts"
import { queryOf } from "../api/query.ts"
import { parseSearch } from "../shell/search.ts"
import { Chart } from "../ui/chart.tsx"
import type { ChartProps } from "../ui/chart-canvas.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { DaysRange } from "../ui/range.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"

/** The sweep counts once a minute. */
const LIVE_MS = 60_000

type Level = ServiceLevel["levels"][number]

interface LineOf extends Pick<ChartProps, "title" | "unit"> {
  /** The series with their values at a level. */
  series: Record<string, (level: Level) => number | null>
}

/** A part as a percentage; null if there is no whole. */
const share = (part: number | null, whole: number) => (part === null || whole === 0 ? null : (part / whole) * 100)
const sum = (one: number | null, other: number | null) => (one ?? 0) + (other ?? 0)

const LINES: LineOf[] = [
  {
    title: "Turns that succeeded",
    series: { Done: ({ done, failed }) => share(done, sum(done, failed)) },
    unit: "percent",
  },
  {
    title: "Duration without waits, 95th percentile",
    series: { Duration: (level) => level.p95_seconds },
    unit: "seconds",
  },
  {
    title: "Oldest turn that was ready to start",
    series: { Age: (level) => level.oldest_queued_seconds },
    unit: "seconds",
  },
  {
    title: "Model calls that failed",
    series: {
      Failed: ({ provider_calls, provider_errors }) => share(provider_errors, sum(provider_calls, provider_errors)),
    },
    unit: "percent",
  },
  { title: "Webhook deliveries that were due", series: { Deliveries: (level) => level.webhook_backlog } },
]

/** How the service is, in a sentence, and how it was in the last days. */
export function ServiceLevelSection({ days }: { days: number }) {
  const level = useQuery({ ...queryOf("getServiceLevel", { query: { days } }), refetchInterval: LIVE_MS })
  return (
    <Section title="Service level" action={<DaysRange days={days} choices={[1, 7]} />}>
      <Read of={level} rows={12}>
        {(data) => (
          <>
            <Verdict of={data} />
            <div className="grid gap-x-10 gap-y-5 lg:grid-cols-2 xl:grid-cols-3">
              {LINES.map(({ title, series, unit }) => (
                <Chart
                  key={title}
                  title={`${title} (UTC)`}
                  series={Object.keys(series).map((key) => ({ key, label: key }))}
                  points={data.levels.map((one) => ({
                    label: one.starts_at.slice(5, 16).replace("T", " "),
                    values: Object.fromEntries(Object.entries(series).map(([key, read]) => [key, read(one)])),
                  }))}
                  {...(unit && { unit })}
                />
              ))}
            </div>
          </>
        )}
      </Read>
    </Section>
  )
}

/** A link to a path that the service gives, with its query. */
function PathLink({ path, children }: { path: string; children: string }) {
  const [to, query = ""] = path.split("?")
  return (
    <TextLink to={to} search={parseSearch(query) as never}>
      {children}
    </TextLink>
  )
}

function Verdict({ of }: { of: ServiceLevel }) {
  if (of.failing.length === 0) {
    return (
      <p role="status" className="flex flex-wrap items-center gap-2">
        <Status word={of.status} />
        {of.verdict}
      </p>
    )
  }
  return (
    <ul aria-label="Failing checks" className="flex flex-col gap-2">
      {of.failing.map(({ name, message, page, turns }) => (
        <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Status word={name} tone="bad" />
          {message}
          {page !== turns && <PathLink path={page}>Open the page</PathLink>}
          {turns && <PathLink path={turns}>View turns that it hits</PathLink>}
        </li>
      ))}
    </ul>
  )
}
