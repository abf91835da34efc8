import type { ModelCatalogRow } from "../api/operations.ts"
import { MODEL_PRICES } from "../api/prices.ts"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import { CatalogActions, CatalogSwitch } from "./catalog-actions.tsx"
import { CatalogHandle } from "./catalog-handle.tsx"
import { LimitsOfModel } from "./catalog-learned.tsx"

interface Options {
  rows: readonly ModelCatalogRow[]
  defaults: ReadonlySet<string | undefined>
  onMove: (from: number, to: number) => void
}

/** The prices that each chat model has. */
const TOKEN_PRICES = MODEL_PRICES.filter(({ kind, perUnit, required }) => kind === "chat" && !perUnit && required)

function price(part: string) {
  return ({ kind, price_usd_per_million_tokens }: ModelCatalogRow) => {
    const prices: Record<string, number | null> = price_usd_per_million_tokens
    return kind === "image" ? <span className="text-muted">–</span> : <Money usd={prices[part] ?? null} />
  }
}

/** The provider's prices, if they are not ours, and the markup. */
function ProviderPrices({ of: { kind, provider_prices: listed, markup } }: { of: ModelCatalogRow }) {
  if (listed === null) return <span className="text-muted">Same</span>
  const { input, output } = listed.price_usd_per_million_tokens
  return (
    <span className="inline-flex flex-wrap gap-2 max-sm:justify-end">
      {kind === "image" ? (
        <Money usd={listed.price_usd_per_picture} />
      ) : (
        <span>
          <Money usd={input} /> in, <Money usd={output} /> out
        </span>
      )}
      {markup && <Status word={wordsOfMarkup(markup)} tone="none" />}
    </span>
  )
}

const wordsOfMarkup = ({ percent, usd_per_million_tokens: usd }: NonNullable<ModelCatalogRow["markup"]>) =>
  [percent > 0 ? `+ ${percent} %` : "", usd > 0 ? `+ ${usd} USD` : ""].filter(Boolean).join(" ")

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
    ...TOKEN_PRICES.map(({ name, label }) => ({ title: label, right: true, cell: price(name) })),
    { title: "Picture", right: true, cell: ({ price_usd_per_picture }) => <Money usd={price_usd_per_picture} /> },
    { title: "Provider", cell: (row) => <ProviderPrices of={row} /> },
    { title: "Price version", right: true, cell: ({ price_version }) => price_version },
    { title: "Next prices", cell: ({ planned_prices }) => <Time at={planned_prices?.begins_at} exact /> },
    {
      title: "Context window",
      right: true,
      cell: ({ context_tokens }) => (context_tokens === null ? "–" : <Count value={context_tokens} />),
    },
    { title: "Learned limits", cell: (row) => <LimitsOfModel of={row} /> },
    { title: "Spaces", right: true, cell: ({ space_count }) => <Count value={space_count} /> },
    { title: "Actions", actions: true, cell: (row) => <CatalogActions of={row} /> },
  ]
}
