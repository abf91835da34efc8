import {
  Bar,
  BarChart,
  CartesianGrid,
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
  /** Lines that go with a series in its colour, such as an even pace. `of`: the key of the series. */
  guides?: readonly { key: string; label: string; of: string }[]
  /** Format of a value. Default: with thousands separators. */
  format?: (value: number) => string
}

/** Okabe and Ito's colours without yellow, which is too light on white; the last is for "other". */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#868e98"]
/** Dash patterns, so that lines differ by more than colour. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "12 3", "4 4", "1 4"]

const colourOf = (index: number) => COLOURS[index % COLOURS.length]

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
      {...(isOpen && { fillOpacity: 0.35, stroke: props.fill, strokeDasharray: "3 2" })}
      className={isOpen ? "unfinished" : undefined}
    />
  )
}

const tooltipOf = (format: (value: number) => string, isBars: boolean) => (
  <Tooltip
    isAnimationActive={false}
    formatter={(value) => format(Number(value))}
    labelFormatter={(label) => (isUnfinished(String(label)) ? `${label}, so far` : label)}
    contentStyle={{ background: "var(--raised)", border: "1px solid var(--line)", borderRadius: 6 }}
    labelStyle={{ color: "var(--text)" }}
    itemStyle={{ color: "var(--text)" }}
    cursor={isBars ? { fill: "var(--hover)" } : { stroke: "var(--edge)" }}
  />
)

/** The only module that imports Recharts, so that pages without charts do not load it. */
export function ChartCanvas({ kind = "lines", series, points, guides = [], format = String }: ChartProps) {
  const axis = { stroke: "var(--edge)", tick: { fill: "var(--muted)", fontSize: 12 }, tickLine: false }
  const margin = { top: 8, right: 12, bottom: 0, left: 0 }
  const legend = series.length > 1 && (
    <Legend
      formatter={(name) => <span className="text-text">{name}</span>}
      iconType={kind === "bars" ? "square" : "plainline"}
    />
  )
  const bars = series.map(({ key, label }, index) => (
    <Bar
      key={key}
      dataKey={key}
      name={label}
      stackId="all"
      fill={colourOf(index)}
      shape={BarShape}
      isAnimationActive={false}
    />
  ))
  const values = { ...axis, axisLine: false, domain: [0, "auto"] as [number, "auto"], tickFormatter: format }
  if (isOfNames({ kind, points })) {
    const data = points.map(({ label, values }) => ({ label, ...values }))
    return (
      <ResponsiveContainer width="100%" height={Math.max(HEIGHT_PX, points.length * BAR_PX + 40)}>
        <BarChart data={data} margin={margin} layout="vertical" accessibilityLayer={false}>
          <CartesianGrid stroke="var(--line)" horizontal={false} />
          <XAxis type="number" {...values} />
          <YAxis type="category" dataKey="label" {...axis} width={170} interval={0} tickFormatter={shortened} />
          {tooltipOf(format, true)}
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
      <CartesianGrid stroke="var(--line)" vertical={false} />
      <XAxis dataKey="label" {...axis} minTickGap={24} interval="preserveStartEnd" />
      <YAxis {...values} width={64} />
      {tooltipOf(format, kind === "bars")}
      {legend}
    </>
  )
  const line = { strokeWidth: 1.75, isAnimationActive: false, dot: points.length === 1 }
  const hidden = { legendType: "none", tooltipType: "none" } as const
  return (
    <ResponsiveContainer width="100%" height={HEIGHT_PX}>
      {kind === "bars" ? (
        <BarChart data={data} margin={margin} accessibilityLayer={false}>
          {frame}
          {bars}
        </BarChart>
      ) : (
        <LineChart data={data} margin={margin} accessibilityLayer={false}>
          {frame}
          {series.map(({ key, label }, index) => (
            <Line
              key={key}
              {...line}
              dataKey={key}
              name={label}
              stroke={colourOf(index)}
              strokeDasharray={DASHES[index]}
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
                stroke={colourOf(index)}
                strokeDasharray={DASHES[index]}
              />,
              <Line
                key={openKey(key)}
                {...line}
                {...hidden}
                className="unfinished"
                dataKey={openKey(key)}
                stroke={colourOf(index)}
                strokeOpacity={0.6}
                strokeDasharray="1 4"
                strokeLinecap="round"
              />,
            ])}
          {guides.map(({ key, label, of }) => (
            <Line
              key={key}
              {...line}
              dataKey={key}
              name={label}
              legendType="none"
              className="guide"
              strokeWidth={1}
              strokeOpacity={0.7}
              strokeDasharray="2 4"
              stroke={colourOf(
                Math.max(
                  0,
                  series.findIndex((one) => one.key === of),
                ),
              )}
            />
          ))}
        </LineChart>
      )}
    </ResponsiveContainer>
  )
}
