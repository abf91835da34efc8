import { useState } from "react"
import { wordsOf } from "../api/code-words.ts"
import type { TurnStats } from "../api/operations.ts"
import { Button } from "../ui/button.tsx"
import { exactUtc } from "../ui/exact-time.ts"
import { Stat, Stats } from "../ui/facts.tsx"
import { Percent, Seconds } from "../ui/figures.tsx"
import { STEP, useFilters } from "../ui/filter-bar.tsx"
import { Table } from "../ui/table.tsx"
import { Count, Money, MoneyFigure } from "../ui/values.tsx"

/** Figures of all turns that match: states, cost and latency, their histogram, and the reasons of failures. */
export function TurnFigures({ of, until }: { of: TurnStats; until: string | undefined }) {
  const change = useFilters()
  return (
    <>
      <Stats>
        <Stat label="Turns" hint={of.open > 0 && `${of.open.toLocaleString()} open`}>
          <Count value={of.turns} />
        </Stat>
        <Stat label="Success" hint={`${of.failed.toLocaleString()} failed, ${of.cancelled.toLocaleString()} cancelled`}>
          <Percent share={of.success_rate} />
        </Stat>
        <Stat label="Spend">
          <MoneyFigure usd={of.billed_usd} />
        </Stat>
        <Stat label="Latency, median" hint="from acceptance to end">
          <Seconds value={of.p50_seconds} />
        </Stat>
        <Stat label="Latency, 95%">
          <Seconds value={of.p95_seconds} />
        </Stat>
      </Stats>
      {of.buckets.length > 0 && <Histogram of={of} until={until ?? new Date().toISOString()} />}
      {of.reasons.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-muted">
          Reasons:
          {of.reasons.map(({ value, turns }) => (
            <Button key={value} kind="quiet" onClick={() => change({ reason: value })}>
              <span title={value}>{wordsOf(value)}</span> {turns.toLocaleString()}
            </Button>
          ))}
        </p>
      )}
    </>
  )
}

const HIGH = 64

/** The turns by the time of their acceptance. A bar limits the range to its bucket. */
function Histogram({ of: { buckets, bucket_seconds, since }, until }: { of: TurnStats; until: string }) {
  const change = useFilters()
  const [asTable, setAsTable] = useState(false)
  const most = Math.max(...buckets.map(({ turns }) => turns), 1)
  const high = (turns: number) => `${turns === 0 ? 0 : Math.max(2, (turns / most) * HIGH)}px`
  const title = `Turns by ${lengthOf(bucket_seconds)} (UTC)`
  const endOf = (at: string) => new Date(Date.parse(at) + bucket_seconds * 1000).toISOString()
  const [from, to] = spanOf(buckets, bucket_seconds, { since, until })
  return (
    <section className="flex min-w-0 flex-col gap-2" aria-label={title}>
      <div className="flex min-h-8 items-center justify-between gap-3">
        <span className="text-muted">{title}. Choose a bar to see its turns.</span>
        <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "Show as chart" : "Show as table"}
        </Button>
      </div>
      {asTable ? (
        <Table
          caption={title}
          rows={buckets}
          rowKey={({ starts_at }) => starts_at}
          columns={[
            { title: "From (UTC)", cell: ({ starts_at }) => exactUtc(starts_at) },
            { title: "Turns", right: true, cell: ({ turns }) => <Count value={turns} /> },
            { title: "Failed", right: true, cell: ({ failed }) => <Count value={failed} /> },
            { title: "Cancelled", right: true, cell: ({ cancelled }) => <Count value={cancelled} /> },
            { title: "Spend", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
          ]}
        />
      ) : (
        <div className="flex flex-col gap-1">
          <div className="flex h-[64px] items-end gap-px overflow-hidden border-line border-b">
            {filled(buckets, bucket_seconds, [from, to]).map(({ starts_at, turns, failed, cancelled }) => (
              <button
                key={starts_at}
                type="button"
                disabled={turns === 0}
                title={`${exactUtc(starts_at)}: ${turns} turns, ${failed} failed, ${cancelled} cancelled`}
                aria-label={`${exactUtc(starts_at)}: ${turns} turns, ${failed} failed`}
                onClick={() =>
                  change({ range: undefined, created_after: starts_at, created_before: endOf(starts_at) }, STEP)
                }
                className="flex h-full min-w-[2px] grow flex-col justify-end hover:bg-hover"
              >
                <span className="block w-full bg-accent" style={{ height: high(turns - failed - cancelled) }} />
                <span className="block w-full bg-edge" style={{ height: high(cancelled) }} />
                <span className="block w-full bg-bad" style={{ height: high(failed) }} />
              </button>
            ))}
          </div>
          <div className="flex flex-wrap justify-between gap-x-3 text-muted text-xs">
            <span>{edgeOf(from, bucket_seconds)}</span>
            <span className="flex gap-3">
              <Key look="bg-accent" word="done or open" />
              <Key look="bg-edge" word="cancelled" />
              <Key look="bg-bad" word="failed" />
            </span>
            <span>{edgeOf(bucket_seconds >= DAY_SECONDS ? to - 1 : to, bucket_seconds)}</span>
          </div>
        </div>
      )}
    </section>
  )
}

const DAY_SECONDS = 86_400

/** An end of the axis: the first or last day, or with shorter buckets a time. */
const edgeOf = (ms: number, seconds: number) =>
  exactUtc(new Date(ms).toISOString()).slice(0, seconds >= DAY_SECONDS ? 10 : 16)

const Key = ({ look, word }: { look: string; word: string }) => (
  <span className="inline-flex items-center gap-1">
    <span aria-hidden="true" className={`size-2 ${look}`} />
    {word}
  </span>
)

const lengthOf = (seconds: number) =>
  seconds >= DAY_SECONDS ? "day" : seconds >= 3600 ? "hour" : seconds === 60 ? "minute" : `${seconds / 60} minutes`

/** The most bars of a histogram. */
const MOST_BARS = 400

/** The range of the chart in milliseconds: that of the search, unless it has too many buckets. */
function spanOf(
  buckets: TurnStats["buckets"],
  seconds: number,
  { since, until }: { since: string | null; until: string },
): [from: number, to: number] {
  const length = seconds * 1000
  const first = Date.parse(buckets[0]?.starts_at ?? "")
  const last = Date.parse(buckets.at(-1)?.starts_at ?? "") + length
  const asked = since === null ? first : Math.floor(Date.parse(since) / length) * length
  const end = Math.max(last, Math.ceil(Date.parse(until) / length) * length)
  return since === null || (end - asked) / length > MOST_BARS ? [first, last] : [Math.min(first, asked), end]
}

/** All buckets of the range. Beyond `MOST_BARS`, only those with turns. */
function filled(
  buckets: TurnStats["buckets"],
  seconds: number,
  [from, to]: [from: number, to: number],
): TurnStats["buckets"] {
  const count = Math.round((to - from) / (seconds * 1000))
  if (count > MOST_BARS) return buckets
  const known = new Map(buckets.map((bucket) => [Date.parse(bucket.starts_at), bucket]))
  return Array.from({ length: count }, (_, index) => {
    const at = from + index * seconds * 1000
    return known.get(at) ?? { starts_at: new Date(at).toISOString(), turns: 0, failed: 0, cancelled: 0, billed_usd: 0 }
  })
}
