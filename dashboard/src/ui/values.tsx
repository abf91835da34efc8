import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { CopyButton } from "./copy.tsx"
import { Tooltip } from "./tooltip.tsx"
import { useZone } from "./zone.ts"

/** An exact amount in USD. Digits after the second decimal are dimmed. */
export function Money({ usd }: { usd: number | null | undefined }) {
  if (usd === null || usd === undefined) return <span className="text-muted">–</span>
  const [whole = "0", decimals = ""] = Math.abs(usd).toFixed(7).split(".")
  const exact = decimals.slice(2).replace(/0+$/, "")
  return (
    <span className="whitespace-nowrap">
      {usd < 0 ? "−" : ""}${Number(whole).toLocaleString("en-US")}.{decimals.slice(0, 2)}
      {exact && <span className="text-muted">{exact}</span>}
    </span>
  )
}

/** Credit micros as an amount of USD: 1 USD is 10,000,000. */
export const MoneyOfMicros = ({ micros }: { micros: number | null }) => (
  <Money usd={micros === null ? null : micros / 10_000_000} />
)

/** The amount of a signed document, which is decimal text. */
export const MoneyOfDecimal = ({ decimal }: { decimal: string }) => <Money usd={Number(decimal)} />

/** A whole number with thousands separators. */
export const Count = ({ value }: { value: number | null | undefined }) => (
  <span className="whitespace-nowrap">{value?.toLocaleString("en-US") ?? "–"}</span>
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
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

function agoOf(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1]
  return unit === "second" && Math.abs(seconds) < 5 ? "now" : relative.format(Math.trunc(seconds / size), unit as "day")
}

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
