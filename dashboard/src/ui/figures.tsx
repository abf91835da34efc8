import { useEffect, useState } from "react"
import { lasted } from "./durations.ts"
import { exactIn } from "./exact-time.ts"
import { Money, Time } from "./values.tsx"
import { useZone } from "./zone.ts"

/** The decimals of an exact amount. */
const DECIMALS = 7

/** An exact amount whose decimals line up with those of other rows. Missing zeros are only space. */
export function AlignedMoney({ usd }: { usd: number | null | undefined }) {
  if (usd === null || usd === undefined) return <Money usd={usd} />
  const exact = Math.abs(usd).toFixed(DECIMALS).slice(-DECIMALS).slice(2).replace(/0+$/, "")
  return (
    <span className="whitespace-nowrap">
      <Money usd={usd} />
      <span aria-hidden="true" className="invisible select-none">
        {"0".repeat(DECIMALS - 2 - exact.length)}
      </span>
    </span>
  )
}

/**
 * A time relative to now, and the exact one (UTC) below it. The title of the column names the zone. A card of a phone
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

const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 })

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
const HIGH = 24

/** A value per day as small bars, today last. The label says what they are. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, 0)
  const width = values.length * BAR
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={HIGH}
      viewBox={`0 0 ${width} ${HIGH}`}
      className="inline-block align-middle text-accent"
    >
      <title>{label}</title>
      {values.map((value, index) => {
        const high = most === 0 ? 1 : Math.max(value > 0 ? 2 : 1, (value / most) * HIGH)
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is the day
            key={index}
            x={index * BAR}
            y={HIGH - high}
            width={BAR - 1}
            height={high}
            fill="currentColor"
            opacity={value > 0 ? 1 : 0.25}
          />
        )
      })}
    </svg>
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
