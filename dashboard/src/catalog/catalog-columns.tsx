import type { ModelCatalogRow } from "../api/operations.ts"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Money } from "../ui/values.tsx"
import { CatalogActions, CatalogSwitch } from "./catalog-actions.tsx"
import { CatalogHandle } from "./catalog-handle.tsx"

interface Options {
  rows: readonly ModelCatalogRow[]
  defaults: ReadonlySet<string | undefined>
  onMove: (from: number, to: number) => void
}

const price = (part: "input" | "cached" | "output") => (row: ModelCatalogRow) =>
  row.kind === "image" ? <span className="text-muted">–</span> : <Money usd={row.price_usd_per_million_tokens[part]} />

export function catalogColumns({ rows, defaults, onMove }: Options): Column<ModelCatalogRow>[] {
  return [
    {
      title: "Order",
      cell: (row) => {
        const place = rows.indexOf(row)
        return <CatalogHandle label={row.label} place={place} of={rows.length} onMove={(to) => onMove(place, to)} />
      },
    },
    {
      title: "Model",
      cell: ({ pin, label, kind }) => (
        <span className="inline-flex flex-wrap items-center gap-2 max-sm:justify-end">
          <span className="font-strong">{label}</span>
          {defaults.has(pin) && <Status word={kind === "image" ? "default image model" : "default"} tone="ok" />}
        </span>
      ),
    },
    { title: "Pin", cell: ({ pin }) => <Id id={pin} full /> },
    { title: "Enabled", cell: (row) => <CatalogSwitch of={row} /> },
    { title: "Input", right: true, cell: price("input") },
    { title: "Cached input", right: true, cell: price("cached") },
    { title: "Output", right: true, cell: price("output") },
    { title: "Picture", right: true, cell: ({ price_usd_per_picture }) => <Money usd={price_usd_per_picture} /> },
    { title: "Price version", right: true, cell: ({ price_version }) => price_version },
    {
      title: "Context window",
      right: true,
      cell: ({ context_tokens }) => (context_tokens === null ? "–" : <Count value={context_tokens} />),
    },
    { title: "Spaces", right: true, cell: ({ space_count }) => <Count value={space_count} /> },
    { title: "Actions", actions: true, cell: (row) => <CatalogActions of={row} /> },
  ]
}
