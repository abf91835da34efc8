/** @jsxImportSource preact */
import type { ComponentChildren } from "preact"

const amount = new Intl.NumberFormat("en", { style: "currency", currency: "USD" })
const smallAmount = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 2 })

/** An amount as a customer reads it. Amounts below a cent keep two digits. */
export const usd = (value: number) =>
  value !== 0 && Math.abs(value) < 0.01 ? smallAmount.format(value) : amount.format(value)

const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
const day = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" })

/** A moment in the reader's own time zone. */
export const Moment = ({ at }: { at: string }) => <time dateTime={at}>{moment.format(new Date(at))}</time>

/** A UTC date. */
export const dayText = (date: string) => day.format(new Date(date))

export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  const id = title.toLowerCase().replaceAll(" ", "-")
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

export const Figure = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="figure">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

/** A part that could not be loaded, with a way to try again. */
export const Failed = ({ what, onRetry }: { what: string; onRetry: () => void }) => (
  <div class="note" role="alert">
    <p>{what} could not be loaded.</p>
    <button type="button" onClick={onRetry}>
      Try again
    </button>
  </div>
)

const ROWS = ["1", "2", "3", "4", "5", "6"]

/** Grey lines in place of content that is being loaded. */
export const Loading = ({ rows = 3 }: { rows?: number }) => (
  <div class="loading" role="status">
    <span class="hidden">Loading…</span>
    {ROWS.slice(0, rows).map((row) => (
      <div key={row} />
    ))}
  </div>
)
