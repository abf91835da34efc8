import { countText, ENERGY, USD } from "./numbers.ts"

/** The unit of a chart's values, which decides their form. */
export type ChartUnit = "count" | "energy" | "usd" | "percent" | "seconds"

const usd = new Intl.NumberFormat(undefined, { ...USD, minimumFractionDigits: 2, maximumFractionDigits: 4 })
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 })
const SECONDS = { style: "unit", unit: "second", unitDisplay: "narrow" } as const
const seconds = new Intl.NumberFormat(undefined, { ...SECONDS, maximumFractionDigits: 2 })

/** A value of a chart in its tooltip and its table. */
export function valueText(value: number, unit: ChartUnit): string {
  if (unit === "usd") return usd.format(value)
  if (unit === "seconds") return seconds.format(value)
  if (unit === "energy") return ENERGY.exact.format(value)
  return unit === "percent" ? percent.format(value / 100) : countText(value)
}

/** The most distances between the lines of a value axis. */
const MOST_STEPS = 5
const NICE = [1, 2, 5, 10]

/** The distance between two lines of the axis: 1, 2 or 5 times a power of ten. Numbers of things have no parts. */
function stepOf(span: number, unit: ChartUnit): number {
  const least = span / MOST_STEPS
  const power = 10 ** Math.floor(Math.log10(least))
  const step = (NICE.find((nice) => nice * power >= least * (1 - 1e-9)) ?? 10) * power
  return unit === "count" ? Math.max(1, step) : step
}

/** The lines of the value axis. The first is 0 or below, and the last is at or above all values. */
export function ticksOf(values: readonly number[], unit: ChartUnit): number[] {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const step = stepOf(high - low || 1, unit)
  const first = Math.floor(low / step + 1e-9)
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9))
  // Without the error of multiplication: 3 × 0.1.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}

/** The text of each line of the value axis, with as many decimals as their distance needs. */
export function tickFormat(ticks: readonly number[], unit: ChartUnit): (tick: number) => string {
  if (unit === "percent") return (tick) => valueText(tick, unit)
  const [first = 0, second = 1] = ticks
  const needed = Math.max(0, -Math.floor(Math.log10(second - first) + 1e-9))
  const money = { ...USD, minimumFractionDigits: needed === 1 ? 2 : needed }
  const options = unit === "usd" ? money : unit === "seconds" ? SECONDS : {}
  const form = new Intl.NumberFormat(undefined, {
    ...options,
    maximumFractionDigits: needed === 1 && unit === "usd" ? 2 : needed,
    ...(Math.max(...ticks) >= 10_000 && { notation: "compact" as const }),
  })
  return (tick) => form.format(tick)
}

const IS_DAY = /^\d{4}-\d\d-\d\d$/
const IS_HOUR = /^(\d\d-\d\d) (\d\d:\d\d)$/
const dayOf = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" })
const weekdayOf = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  month: "short",
  day: "numeric",
  timeZone: "UTC",
})
const hourOf = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
})

/** A label of a time axis in the language of the browser: `2026-11-26` is "Nov 26". A name stays as it is. */
export function labelText(label: string, { weekday = false } = {}): string {
  if (IS_DAY.test(label)) return (weekday ? weekdayOf : dayOf).format(new Date(label))
  // An hour has no year. The one that is used here has every date.
  const hour = IS_HOUR.exec(label)
  return hour ? hourOf.format(new Date(`2000-${hour[1]}T${hour[2]}Z`)) : label
}
