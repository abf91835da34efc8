import { Suspense, useState } from "react"
import type { ComparedModel, ModelCatalogRow } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"

const TakeOver = lazyPart(() => import("./catalog-take-over.tsx").then((file) => ({ default: file.TakeOver })))

/** The findings of the price feed, with a proposal for each model whose prices differ. */
export function CatalogProposals({ rows }: { rows: readonly ModelCatalogRow[] }) {
  const proposals = useRead("listModelProposals")
  return (
    <section className="flex flex-col gap-3">
      <h2 className="font-strong text-lg">Provider prices</h2>
      <Read of={proposals} rows={3}>
        {({ feed, items }) => (
          <>
            <p className="text-muted">
              Compared with {feed.package} {feed.version}, whose data is {feed.age_days} days old. No price changes
              until you take a proposal over.
            </p>
            <Findings items={items} rows={rows} />
          </>
        )}
      </Read>
    </section>
  )
}

function Findings({ items, rows }: { items: ComparedModel[]; rows: readonly ModelCatalogRow[] }) {
  const shown = items.filter(({ findings, not_compared }) => findings.length + not_compared.length > 0)
  return (
    <Table
      caption="Findings of the price feed"
      rows={shown}
      rowKey={({ pin }) => pin}
      columns={[
        { title: "Model", cell: ({ label }) => label },
        {
          title: "Findings",
          long: true,
          cell: ({ findings }) =>
            findings.length === 0 ? (
              "–"
            ) : (
              <ul className="grid gap-1">
                {findings.map(({ text }) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            ),
        },
        { title: "Not compared", cell: ({ not_compared }) => not_compared.join(", ") || "–" },
        {
          title: "Proposal",
          actions: true,
          cell: (model) => <Proposal model={model} row={rows.find(({ pin }) => pin === model.pin)} />,
        },
      ]}
      empty={<EmptyState title="All prices are equal" />}
    />
  )
}

function Proposal({ model: { label, proposal }, row }: { model: ComparedModel; row: ModelCatalogRow | undefined }) {
  const [open, setOpen] = useState(false)
  if (row?.planned_prices) {
    return (
      <span>
        Planned: <Time at={row.planned_prices.begins_at} exact />
      </span>
    )
  }
  if (proposal === null || row === undefined) return null
  return (
    <>
      <Button aria-label={`Take the proposed prices of ${label} over`} onClick={() => setOpen(true)}>
        Take over
      </Button>
      {open && (
        <Suspense>
          <TakeOver of={row} proposal={proposal} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
