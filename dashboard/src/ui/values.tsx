import { Link } from "@tanstack/react-router"
import { Fragment, useEffect, useState } from "react"
import { CopyButton } from "./copy.tsx"
import { exactIn, otherOf } from "./exact-time.ts"
import { MONEY, type NumberForm, roundedText } from "./numbers.ts"
import { Tooltip } from "./tooltip.tsx"
import { useZone } from "./zone.ts"

/** The decimals that every amount has. */
const CENTS = 2

interface NumberProps {
  value: number | null | undefined
  form: NumberForm
}

/** An exact number. Digits after the second decimal are dimmed. With `aligned`, missing zeros are space. */
export function ExactNumber({ value, form: { exact, decimals }, aligned }: NumberProps & { aligned?: boolean }) {
  if (value === null || value === undefined) return <span className="text-muted">–</span>
  return (
    <span className="whitespace-nowrap">
      {exact.formatToParts(value).map(({ type, value: part }) =>
        type === "fraction" ? (
          <Fragment key={type}>
            {part.slice(0, CENTS)}
            {part.length > CENTS && <span className="text-muted">{part.slice(CENTS)}</span>}
            {aligned && (
              <span aria-hidden="true" className="invisible select-none">
                {"0".repeat(decimals - part.length)}
              </span>
            )}
          </Fragment>
        ) : (
          part
        ),
      )}
    </span>
  )
}

/** A number in a headline: with two decimals, and the exact one on hover and focus. */
export function RoundedNumber({ value, form }: NumberProps) {
  if (value === null || value === undefined) return <ExactNumber value={value} form={form} />
  const [rounded, exact] = [roundedText(value, form), form.exact.format(value)]
  const shown = <span className="whitespace-nowrap">{rounded}</span>
  return rounded === exact ? shown : <Tooltip text={exact}>{shown}</Tooltip>
}

interface MoneyProps {
  usd: number | null | undefined
}

/** An exact amount in USD, for tables, bills and sentences. With `aligned`, its decimals line up with other rows. */
export const Money = ({ usd, aligned }: MoneyProps & { aligned?: boolean }) => (
  <ExactNumber value={usd} form={MONEY} aligned={aligned} />
)

/** An amount in USD in a headline. */
export const MoneyFigure = ({ usd }: MoneyProps) => <RoundedNumber value={usd} form={MONEY} />

/** Credit micros as an amount of USD: 1 USD is 10,000,000. */
export const MoneyOfMicros = ({ micros }: { micros: number | null }) => (
  <Money usd={micros === null ? null : micros / 10_000_000} />
)

/** The amount of a signed document, which is decimal text. */
export const MoneyOfDecimal = ({ decimal }: { decimal: string }) => <Money usd={Number(decimal)} />

/** A whole number with thousands separators. */
export const Count = ({ value }: { value: number | null | undefined }) => (
  <span className="whitespace-nowrap">{value?.toLocaleString() ?? "–"}</span>
)

const shortened = (id: string) => (id.length > 18 ? `${id.slice(0, 9)}…${id.slice(-5)}` : id)

/** An id, shortened in the middle, with a button that copies it in full. A link if `href` is set. */
export function Id({ id, href, full = false }: { id: string; href?: string; full?: boolean }) {
  const text = <code title={id}>{full ? id : shortened(id)}</code>
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {href ? (
        <Link to={href} className="text-accent hover:underline">
          {text}
        </Link>
      ) : (
        text
      )}
      <CopyButton text={id} what={id} small />
    </span>
  )
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]
// A phrase of the English sentences around it, so it is not in the language of the browser.
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

function agoOf(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= (seconds > 0 ? 0.98 : 1) * size) ?? ["second", 1]
  // A time to come is rounded: seven days are "in 7 days" also a moment later.
  const count = seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size)
  return unit === "second" && Math.abs(seconds) < 5 ? "now" : relative.format(count, unit as "day")
}

/** A day of the form 2026-11-30. It stays on one line, although it has hyphens. */
export const UtcDay = ({ of }: { of: string }) => (
  <time dateTime={of} className="whitespace-nowrap">
    {of}
  </time>
)

/** A time relative to now, with the exact time in both zones on hover and focus. With `exact`, the exact time only. */
export function Time({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  const zone = useZone()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  if (!at) return <span className="text-muted">–</span>
  if (exact) {
    return (
      <time dateTime={at} title={otherOf(zone, at)}>
        {exactIn(zone, at)}
      </time>
    )
  }
  return (
    <Tooltip text={`${exactIn(zone, at)}, ${otherOf(zone, at)}`}>
      <time dateTime={at} className="whitespace-nowrap">
        {agoOf(Date.parse(at), now)}
      </time>
    </Tooltip>
  )
}
