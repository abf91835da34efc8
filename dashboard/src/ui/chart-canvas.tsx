import { useId } from "react"
import {
  Bar,
  BarChart,
  CartesianGrid,
  ComposedChart,
  type DotItemDotProps,
  Legend,
  Line,
  LineChart,
  Rectangle,
  type RectangleProps,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts"
import { fillsOf, lineLook, Patterns } from "./chart-looks.tsx"
import { type ChartUnit, labelText, tickFormat, ticksOf, valueText } from "./chart-scale.ts"
import { isUnfinished } from "./days.ts"

/** A point of the axis (a time or a name) with a value per series; null if a series has no value there. */
export interface ChartPoint {
  label: string
  values: Record<string, number | null>
}

export interface ChartProps {
  /** The content and its unit, such as "Spend by day, USD, UTC". */
  title: string
  kind?: "lines" | "bars"
  /** The six largest are drawn; the others are added up as "other". */
  series: readonly { key: string; label: string }[]
  points: readonly ChartPoint[]
  /** Lines that go with a series in its colour, such as an even pace, also over bars. `of`: the key of the series. */
  guides?: readonly { key: string; label: string; of: string }[]
  /** A click on the bar of a point, by its place. The table of the page has a button for the same. */
  onPick?: (place: number) => void
  /** The unit of the values. Default: a number of things. */
  unit?: ChartUnit
}

/** The height of a horizontal bar with its gap, in pixels. */
const BAR_PX = 28
const HEIGHT_PX = 260
/** The key of the part of a line that leads to an unfinished point. */
const openKey = (key: string) => `${key} until now`

const isTime = (label: string) => /^\d\d(\d\d)?[-:]\d\d/.test(label)
const shortened = (name: string) => (name.length > 24 ? `${name.slice(0, 23)}…` : name)

/** Bars of names are horizontal, so that each bar has its whole name. */
export const isOfNames = ({ kind, points }: Pick<ChartProps, "kind" | "points">) =>
  kind === "bars" && points.length > 0 && !points.some(({ label }) => isTime(label))

/** A bar. The bar of an unfinished day is pale with a dashed edge. */
function BarShape(props: RectangleProps & { payload?: { label: string } }) {
  const isOpen = props.payload !== undefined && isUnfinished(props.payload.label)
  return (
    <Rectangle
      {...props}
      {...(isOpen && { fillOpacity: 0.35, stroke: "var(--accent)", strokeDasharray: "3 2" })}
      className={isOpen ? "unfinished" : undefined}
    />
  )
}

/** The dot of a point without a neighbour, to which no line leads. */
function loneDot({ points, index, value, cx, cy, stroke }: DotItemDotProps) {
  const hasValue = (at: number) => typeof points[at]?.value === "number"
  const isLone = typeof value === "number" && !hasValue(index - 1) && !hasValue(index + 1)
  return isLone ? <circle key={index} cx={cx} cy={cy} r={2.5} fill={stroke} /> : <g key={index} />
}

const tooltipOf = (unit: ChartUnit, isBars: boolean) => (
  <Tooltip
    isAnimationActive={false}
    formatter={(value) => valueText(Number(value), unit)}
    labelFormatter={(label) =>
      labelText(String(label), { weekday: true }) + (isUnfinished(String(label)) ? ", so far" : "")
    }
    contentStyle={{ background: "var(--raised)", border: "1px solid var(--line)", borderRadius: 6 }}
    labelStyle={{ color: "var(--text)" }}
    itemStyle={{ color: "var(--text)" }}
    cursor={isBars ? { fill: "var(--hover)" } : { stroke: "var(--edge)" }}
  />
)

/** The values that the axis must reach: of lines each, and of stacked bars their sums. */
function valuesOf({ kind, series, points, guides = [] }: ChartProps): number[] {
  const of = ({ values }: ChartPoint, keys: readonly { key: string }[]) => keys.map(({ key }) => values[key] ?? 0)
  if (kind === "bars") {
    return points.flatMap((point) => [of(point, series).reduce((sum, value) => sum + value, 0), ...of(point, guides)])
  }
  return points.flatMap((point) => of(point, [...series, ...guides]))
}

/** The only module that imports Recharts, so that pages without charts do not load it. */
export function ChartCanvas(props: ChartProps) {
  const { kind = "lines", series, points, guides = [], onPick, unit = "count" } = props
  const id = useId()
  const ticks = ticksOf(valuesOf(props), unit)
  const fills = fillsOf(id)
  const axis = { stroke: "var(--edge)", tick: { fill: "var(--muted)", fontSize: 12 }, tickLine: false }
  const margin = { top: 8, right: 12, bottom: 0, left: 0 }
  const hasGuidedBars = kind === "bars" && guides.length > 0
  const legend = (series.length > 1 || hasGuidedBars) && (
    <Legend
      itemSorter={null}
      formatter={(name) => <span className="text-text">{name}</span>}
      {...(!hasGuidedBars && { iconType: kind === "bars" ? ("square" as const) : ("plainline" as const) })}
    />
  )
  const bars = series.map(({ key, label }, index) => (
    <Bar
      key={key}
      dataKey={key}
      name={label}
      stackId="all"
      fill={fills[index % fills.length]}
      shape={BarShape}
      isAnimationActive={false}
      {...(onPick && {
        className: "cursor-pointer",
        onClick: (_bar: unknown, place: number) => onPick(place),
      })}
    />
  ))
  const values = {
    ...axis,
    axisLine: false,
    ticks,
    domain: [ticks[0] ?? 0, ticks.at(-1) ?? 1] as [number, number],
    tickFormatter: tickFormat(ticks, unit),
  }
  if (isOfNames({ kind, points })) {
    const data = points.map(({ label, values }) => ({ label, ...values }))
    return (
      <ResponsiveContainer width="100%" height={Math.max(HEIGHT_PX, points.length * BAR_PX + 40)}>
        <BarChart data={data} margin={margin} layout="vertical" accessibilityLayer={false}>
          <Patterns id={id} />
          <CartesianGrid stroke="var(--line)" horizontal={false} />
          <XAxis type="number" {...values} />
          <YAxis type="category" dataKey="label" {...axis} width={170} interval={0} tickFormatter={shortened} />
          {tooltipOf(unit, true)}
          {legend}
          {bars}
        </BarChart>
      </ResponsiveContainer>
    )
  }
  const last = points.length - 1
  const isOpen = kind === "lines" && last > 0 && isUnfinished(points[last]?.label ?? "")
  const data = points.map(({ label, values }, at) => ({
    label,
    ...values,
    ...(isOpen && Object.fromEntries(series.map(({ key }) => [openKey(key), at >= last - 1 ? values[key] : null]))),
  }))
  const frame = (
    <>
      <Patterns id={id} />
      <CartesianGrid stroke="var(--line)" vertical={false} />
      <XAxis
        dataKey="label"
        {...axis}
        tickFormatter={(label) => labelText(String(label))}
        minTickGap={24}
        interval="equidistantPreserveStart"
      />
      <YAxis {...values} width={64} />
      {tooltipOf(unit, kind === "bars")}
      {legend}
    </>
  )
  const line = { strokeWidth: 1.75, isAnimationActive: false, dot: loneDot }
  const hidden = { legendType: "none", tooltipType: "none" } as const
  const strokeOf = (key: string) =>
    lineLook(
      Math.max(
        0,
        series.findIndex((one) => one.key === key),
      ),
    ).stroke
  const drawnGuides = guides.map(({ key, label, of }) => (
    <Line
      key={key}
      {...line}
      dataKey={key}
      name={label}
      legendType={hasGuidedBars ? "plainline" : "none"}
      className="guide"
      strokeWidth={hasGuidedBars ? 1.5 : 1}
      strokeOpacity={0.7}
      strokeDasharray="2 4"
      stroke={hasGuidedBars ? "var(--text)" : strokeOf(of)}
    />
  ))
  return (
    <ResponsiveContainer width="100%" height={HEIGHT_PX}>
      {kind === "bars" ? (
        <ComposedChart data={data} margin={margin} accessibilityLayer={false}>
          {frame}
          {bars}
          {drawnGuides}
        </ComposedChart>
      ) : (
        <LineChart data={data} margin={margin} accessibilityLayer={false}>
          {frame}
          {series.map(({ key, label }, index) => (
            <Line
              key={key}
              {...line}
              dataKey={key}
              name={label}
              {...lineLook(index)}
              // With an unfinished point, the two lines below draw it. This one has the legend and the tooltip.
              strokeOpacity={isOpen ? 0 : 1}
            />
          ))}
          {isOpen &&
            series.flatMap(({ key }, index) => [
              <Line
                key={`${key} closed`}
                {...line}
                {...hidden}
                dataKey={(row: Record<string, unknown>) => (row.label === points[last]?.label ? null : row[key])}
                {...lineLook(index)}
              />,
              <Line
                key={openKey(key)}
                {...line}
                {...hidden}
                className="unfinished"
                dataKey={openKey(key)}
                stroke={lineLook(index).stroke}
                strokeOpacity={0.6}
                strokeDasharray="1 4"
                strokeLinecap="round"
              />,
            ])}
          {drawnGuides}
        </LineChart>
      )}
    </ResponsiveContainer>
  )
}
