/** @jsxImportSource preact */
import type { ComponentChildren } from "preact"
import { locale, say, type TextName } from "./texts.ts"

/** Amounts have at most seven decimals. */
const MOST_DECIMALS = 7

const decimalsOf = (value: number) => value.toFixed(MOST_DECIMALS).replace(/0+$/, "").split(".")[1]?.length ?? 0

/**
 * Writes the amounts of one part of the page exactly, with as many decimals as its most precise amount has. So rows add
 * up to their sum.
 */
export function moneyOf(amounts: readonly number[]): (value: number) => string {
  const decimals = amounts.reduce((most, value) => Math.max(most, decimalsOf(value)), 2)
  const options = { style: "currency", currency: "USD", minimumFractionDigits: decimals } as const
  const format = new Intl.NumberFormat(locale, { ...options, maximumFractionDigits: decimals })
  return (value) => format.format(value)
}

const percent = new Intl.NumberFormat(locale, { style: "percent" })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
const day = new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", timeZone: "UTC" })
const count = new Intl.NumberFormat(locale)

export const shareText = (share: number) => percent.format(share)
export const countText = (value: number) => count.format(value)

/** A moment in the reader's own time zone. `text`: the sentence around it. */
export function Moment({ at, text }: { at: string; text?: TextName }) {
  const shown = moment.format(new Date(at))
  return <time dateTime={at}>{text ? say(text, shown) : shown}</time>
}

/** A UTC date. */
export const dayText = (date: string) => day.format(new Date(date))

export function Section({ title, children }: { title: TextName; children: ComponentChildren }) {
  const id = `part-${title}`
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{say(title)}</h2>
      {children}
    </section>
  )
}

export const Figure = ({ label, children }: { label: TextName; children: ComponentChildren }) => (
  <div class="figure">
    <dt>{say(label)}</dt>
    <dd>{children}</dd>
  </div>
)

/** A part that could not be loaded, with a way to try again. */
export const Failed = ({ what, onRetry }: { what: TextName; onRetry: () => void }) => (
  <div class="note" role="alert">
    <p>{say("notLoaded", say(what))}</p>
    <button type="button" onClick={onRetry}>
      {say("tryAgain")}
    </button>
  </div>
)

const ROWS = ["1", "2", "3", "4", "5", "6"]

/** Grey lines in place of content that is being loaded. */
export const Loading = ({ rows = 3 }: { rows?: number }) => (
  <div class="loading" role="status">
    <span class="hidden">{say("loading")}</span>
    {ROWS.slice(0, rows).map((row) => (
      <div key={row} />
    ))}
  </div>
)
