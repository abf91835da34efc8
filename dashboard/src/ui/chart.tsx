import { type ReactNode, Suspense, useState } from "react"
import { Button } from "./button.tsx"
import type { ChartPoint, ChartProps } from "./chart-canvas.tsx"
import { valueText } from "./chart-scale.ts"
import { isUnfinished } from "./days.ts"
import { lazyPart } from "./lazy-part.tsx"
import { Skeleton } from "./skeleton.tsx"
import { Table } from "./table.tsx"

const ChartCanvas = lazyPart(() => import("./chart-canvas.tsx").then(({ ChartCanvas }) => ({ default: ChartCanvas })))

const SERIES = 6

/** The six largest series, and "other" for the rest. */
function atMostSix({ series, points }: ChartProps): Pick<ChartProps, "series" | "points"> {
  if (series.length <= SERIES) return { series, points }
  const sum = (key: string) => points.reduce((total, { values }) => total + (values[key] ?? 0), 0)
  const sorted = [...series].sort((a, b) => sum(b.key) - sum(a.key))
  const kept = sorted.slice(0, SERIES)
  const rest = sorted.slice(SERIES)
  return {
    series: [...kept, { key: "other", label: "other" }],
    points: points.map(({ label, values }) => ({
      label,
      values: { ...values, other: rest.reduce((total, { key }) => total + (values[key] ?? 0), 0) },
    })),
  }
}

/** A chart with a button that shows its data as a table, which is the accessible form. */
export function Chart(props: ChartProps) {
  const [asTable, setAsTable] = useState(false)
  const { title, unit = "count" } = props
  const drawn = { ...props, ...atMostSix(props) }
  const isOpen = isUnfinished(props.points.at(-1)?.label ?? "")
  const frame = (content: ReactNode) => <div className="min-h-[260px]">{content}</div>
  return (
    <figure className="m-0 flex min-w-0 flex-col gap-2" aria-label={title}>
      <figcaption className="flex min-h-8 items-center justify-between gap-3">
        <span className="text-muted">
          {title}
          {!asTable &&
            isOpen &&
            `. The ${props.kind === "bars" ? "pale bar" : "dotted line"} at the end is not over yet`}
        </span>
        <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "Show as chart" : "Show as table"}
        </Button>
      </figcaption>
      {asTable
        ? frame(
            <Table
              caption={title}
              rows={drawn.points}
              rowKey={({ label }) => label}
              columns={[
                { title: " ", cell: ({ label }) => (isUnfinished(label) ? `${label}, so far` : label) },
                ...drawn.series.map(({ key, label }) => ({
                  title: label,
                  right: true,
                  cell: ({ values }: ChartPoint) => {
                    const value = values[key]
                    return value === null || value === undefined ? "–" : valueText(value, unit)
                  },
                })),
              ]}
            />,
          )
        : frame(
            <Suspense fallback={<Skeleton rows={7} />}>
              <ChartCanvas {...drawn} />
            </Suspense>,
          )}
    </figure>
  )
}
