import { useQueryClient } from "@tanstack/react-query"
import { Suspense, useRef, useState } from "react"
import { call } from "../api/call.ts"
import type { ModelCatalogRow } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { ModelCatalogRowRules } from "../api/rules.ts"
import { curl } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Page } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { catalogColumns } from "./catalog-columns.tsx"
import { movedTo, orderChanges, ordered } from "./catalog-order.ts"
import { catalogPages } from "./pages.ts"

const Add = lazyPart(() => import("./catalog-add.tsx").then((file) => ({ default: file.AddModel })))

const Proposals = lazyPart(() => import("./catalog-proposals.tsx").then((file) => ({ default: file.CatalogProposals })))

export function CatalogPage() {
  const catalog = useRead("listModelCatalog")
  const [adding, setAdding] = useState(false)
  return (
    <Page
      {...catalogPages.catalog}
      action={
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          Add a model
        </Button>
      }
    >
      <Read of={catalog} rows={8}>
        {({ items }) => (
          <div className="flex flex-col gap-8">
            <Catalog rows={items} />
            <Suspense>
              <Proposals rows={items} />
            </Suspense>
          </div>
        )}
      </Read>
      {adding && (
        <Suspense>
          <Add
            next={Math.max(0, ...(catalog.data?.items ?? []).map(({ sort_order }) => sort_order)) + 10}
            onClose={() => setAdding(false)}
          />
        </Suspense>
      )}
    </Page>
  )
}

/** The first enabled model of each kind. It is the default if a turn names no model. */
const defaultsOf = (rows: readonly ModelCatalogRow[]) =>
  new Set(
    ModelCatalogRowRules.kind.words
      .map((kind) => rows.find((row) => row.enabled && row.kind === kind)?.pin)
      .filter((pin) => pin),
  )

function Catalog({ rows }: { rows: ModelCatalogRow[] }) {
  const client = useQueryClient()
  const [order, setOrder] = useState<string[] | null>(null)
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const shown = order ? ordered(rows, order) : rows
  const changes = order ? orderChanges(shown) : []
  const defaults = defaultsOf(shown)
  const before = defaultsOf(rows)
  const newDefaults = shown.filter(({ pin }) => defaults.has(pin) && !before.has(pin))

  // The buttons disappear after saving or discarding, so the focus moves to their container.
  const bar = useRef<HTMLDivElement>(null)
  const forget = () => {
    setOrder(null)
    setError(null)
    bar.current?.focus()
  }
  const save = async () => {
    setSaving(true)
    setError(null)
    try {
      for (const { row, sort_order } of changes) {
        await call("patchModel", { path: { pin: row.pin }, body: { sort_order }, ifMatch: row.version })
      }
      // Wait for the new list. Without it, the old order would flash.
      await client.invalidateQueries({ queryKey: ["listModelCatalog"] })
      setOrder(null)
      toast("The order was saved.")
      bar.current?.focus()
    } catch (problem) {
      setError(problem)
      await client.invalidateQueries({ queryKey: ["listModelCatalog"] })
    }
    setSaving(false)
  }
  return (
    <div className="flex flex-col gap-3">
      <div
        ref={bar}
        tabIndex={-1}
        role="status"
        className={`flex min-h-[50px] flex-wrap items-center gap-3 rounded-md border py-2 ${changes.length > 0 ? "sticky top-12 z-20 border-line bg-raised px-3 shadow-lg sm:top-2" : "border-transparent text-muted"}`}
      >
        {changes.length === 0 ? (
          "The first enabled model is the default. To reorder, drag a handle, or focus it and use the arrow keys. Prices are in USD per million tokens."
        ) : (
          <>
            <span className="grow">
              The new order is not saved yet.
              {newDefaults.map(({ pin, label, kind }) => (
                <span key={pin}>
                  {" "}
                  The default {kind === "image" ? "image " : ""}model becomes <b>{label}</b>.
                </span>
              ))}
            </span>
            <Button onClick={forget}>Discard</Button>
            <Button kind="primary" busy={saving} onClick={() => void save()}>
              Save order
            </Button>
          </>
        )}
      </div>
      {error ? <ErrorState error={error} /> : null}
      <Table
        caption="Models in order; the first enabled model is the default"
        rows={shown}
        rowKey={({ pin }) => pin}
        columns={catalogColumns({
          rows: shown,
          defaults,
          onMove: (from, to) =>
            setOrder(
              movedTo(
                shown.map(({ pin }) => pin),
                from,
                to,
              ),
            ),
        })}
        empty={
          <EmptyState
            title="The catalog is empty"
            curl={curl("/api/admin/model-catalog", {
              method: "POST",
              body: {
                engine: "openai",
                model: "gpt-5-mini",
                label: "GPT-5 mini",
                enabled: true,
                price_usd_per_million_tokens: { input: 0.25, cached: 0.025, output: 2 },
              },
            })}
          />
        }
      />
    </div>
  )
}
