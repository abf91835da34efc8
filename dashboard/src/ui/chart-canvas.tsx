import {
  Bar,
  BarChart,
  CartesianGrid,
  Legend,
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts"

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
  /** Formats a value. Default: with thousands separators. */
  format?: (value: number) => string
}

/** Okabe and Ito's colours without yellow, which is too light on white; the last is for "other". */
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#868e98"]
/** Dash patterns, so that lines differ by more than colour. */
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "12 3", "4 4", "1 4"]

const colourOf = (index: number) => COLOURS[index % COLOURS.length]

/** The only module that imports Recharts, so that pages without charts do not load it. */
export function ChartCanvas({ kind = "lines", series, points, format = String }: ChartProps) {
  const data = points.map(({ label, values }) => ({ label, ...values }))
  const axis = { stroke: "var(--edge)", tick: { fill: "var(--muted)", fontSize: 12 }, tickLine: false }
  const frame = (
    <>
      <CartesianGrid stroke="var(--line)" vertical={false} />
      <XAxis dataKey="label" {...axis} minTickGap={24} />
      <YAxis {...axis} axisLine={false} width={64} domain={[0, "auto"]} tickFormatter={format} />
      <Tooltip
        isAnimationActive={false}
        formatter={(value) => format(Number(value))}
        contentStyle={{ background: "var(--raised)", border: "1px solid var(--line)", borderRadius: 6 }}
        labelStyle={{ color: "var(--text)" }}
        itemStyle={{ color: "var(--text)" }}
        cursor={kind === "bars" ? { fill: "var(--hover)" } : { stroke: "var(--edge)" }}
      />
      {series.length > 1 && (
        <Legend
          formatter={(name) => <span className="text-text">{name}</span>}
          iconType={kind === "bars" ? "square" : "plainline"}
        />
      )}
    </>
  )
  const margin = { top: 8, right: 12, bottom: 0, left: 0 }
  return (
    <ResponsiveContainer width="100%" height={260}>
      {kind === "bars" ? (
        <BarChart data={data} margin={margin} accessibilityLayer={false}>
          {frame}
          {series.map(({ key, label }, index) => (
            <Bar key={key} dataKey={key} name={label} stackId="all" fill={colourOf(index)} isAnimationActive={false} />
          ))}
        </BarChart>
      ) : (
        <LineChart data={data} margin={margin} accessibilityLayer={false}>
          {frame}
          {series.map(({ key, label }, index) => (
            <Line
              key={key}
              dataKey={key}
              name={label}
              stroke={colourOf(index)}
              strokeDasharray={DASHES[index]}
              strokeWidth={1.75}
              dot={points.length === 1}
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      )}
    </ResponsiveContainer>
  )
}
