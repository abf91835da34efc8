import { useEffect, useState } from "react"
import { lasted } from "./durations.ts"
import { exactIn } from "./exact-time.ts"
import { Money, Time } from "./values.tsx"
import { useZone } from "./zone.ts"

/** An exact amount whose decimals line up with those of other rows. */
export const AlignedMoney = ({ usd }: { usd: number | null | undefined }) => <Money usd={usd} aligned />

/**
 * A time relative to now, and the exact one below it. The header of a `timed` column names the zone. A card of a phone
 * has no room for the exact one.
 */
export function When({ at }: { at: string | null | undefined }) {
  const zone = useZone()
  if (!at) return <Time at={at} />
  return (
    <span className="inline-flex flex-col whitespace-nowrap max-sm:text-xs">
      <Time at={at} />
      <time dateTime={at} className="text-muted text-xs max-sm:hidden">
        {exactIn(zone, at).slice(0, "2026-01-01 00:00:00".length)}
      </time>
    </span>
  )
}

const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })

/** A share as a percentage: 0.9744 is 97.4%. */
export const Percent = ({ share }: { share: number | null | undefined }) =>
  share === null || share === undefined ? <span className="text-muted">–</span> : percent.format(share)

/** Seconds as `lasted` formats them. */
export const Seconds = ({ value }: { value: number | null | undefined }) =>
  value === null || value === undefined ? (
    <span className="text-muted">–</span>
  ) : (
    <span className="whitespace-nowrap">{lasted(value * 1000)}</span>
  )

/** From this part of a limit on, a bar warns. */
const NEAR = 0.8

/** The use of a limit as a bar: green, from 80% on amber, and red when nothing is left. */
export function UseBar({ used, limit, label }: { used: number; limit: number; label: string }) {
  const share = limit === 0 ? 1 : used / limit
  const look = share >= 1 ? "bg-bad" : share >= NEAR ? "bg-warn" : "bg-ok"
  return (
    <span className="inline-flex w-[168px] flex-col gap-1 align-middle">
      <span className="flex items-baseline justify-between gap-2 text-xs">
        <span className="min-w-0 truncate text-muted">{label}</span>
        <span className="whitespace-nowrap">
          {share >= 1 ? <span className="text-bad">reached</span> : <Percent share={share} />}
        </span>
      </span>
      <span
        role="img"
        aria-label={`${label}: ${percent.format(share)} used`}
        className="block h-[6px] overflow-hidden rounded-md bg-hover"
      >
        <span className={`block h-full ${look}`} style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
      <span className="whitespace-nowrap text-muted text-xs">
        <Money usd={used} /> of <Money usd={limit} />
      </span>
    </span>
  )
}

const BAR = 4
const HIGH = 20

interface SparklineProps {
  values: readonly number[]
  label: string
  /** The largest value in words, as the scale below the bars. Undefined: no scale is shown. */
  most: string | undefined
}

/** A value per day as small bars, today last. The label says what they are. */
export function Sparkline({ values, label, most: mostWords }: SparklineProps) {
  const most = Math.max(...values, 0)
  const width = values.length * BAR
  return (
    <span className="inline-flex flex-col align-middle">
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={HIGH}
        viewBox={`0 0 ${width} ${HIGH}`}
        className="border-line border-b text-accent"
      >
        <title>{label}</title>
        {values.map((value, index) => {
          const high = most === 0 ? 0 : Math.max(value > 0 ? 2 : 0, (value / most) * HIGH)
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the place is the day
              key={index}
              x={index * BAR}
              y={HIGH - high}
              width={BAR - 1}
              height={high}
              fill="currentColor"
            />
          )
        })}
      </svg>
      {mostWords && <span className="whitespace-nowrap text-muted text-xs">max {mostWords}</span>}
    </span>
  )
}

/** A value that follows another one after `ms` without a change. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
