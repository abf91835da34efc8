import type { ModelCatalogRow } from "../api/operations.ts"
import { MODEL_PRICES } from "../api/prices.ts"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import { CatalogActions, CatalogSwitch } from "./catalog-actions.tsx"
import { CatalogHandle } from "./catalog-handle.tsx"

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

/** The version of a model's prices, and the moment from which planned ones count. */
const Version = ({ of: { price_version, planned_prices } }: { of: ModelCatalogRow }) => (
  <span className="inline-flex flex-col">
    {price_version}
    {planned_prices && (
      <span className="text-muted text-xs">
        {price_version + 1} from <Time at={planned_prices.begins_at} exact />
      </span>
    )}
  </span>
)

/** The limits of a model that the service has learned from refusals. */
function learnedLimits({ learned }: ModelCatalogRow): string[] {
  const { max_output_tokens: output, context_tokens: context, images, without } = learned
  return [
    output !== undefined && `output ${output.toLocaleString()}`,
    context !== undefined && `context ${context.toLocaleString()}`,
    images !== undefined && `images ${images}`,
    without !== undefined && without.length > 0 && `without ${without.join(", ")}`,
  ].filter((fact) => fact !== false)
}

const LEARNED: Column<ModelCatalogRow> = {
  title: "Learned limits",
  cell: (row) => learnedLimits(row).join(" · ") || "–",
}

const PICTURE: Column<ModelCatalogRow> = {
  title: "Picture",
  right: true,
  cell: ({ price_usd_per_picture }) => <Money usd={price_usd_per_picture} />,
}

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
      long: true,
      cell: ({ pin, label, kind }) => (
        <span className="inline-flex flex-col">
          <span className="inline-flex flex-wrap items-center gap-2">
            <span className="font-strong">{label}</span>
            {defaults.has(pin) && <Status word={kind === "image" ? "default image model" : "default"} tone="ok" />}
          </span>
          <Id id={pin} full />
        </span>
      ),
    },
    { title: "Enabled", cell: (row) => <CatalogSwitch of={row} /> },
    ...TOKEN_PRICES.map(({ name, label }) => ({ title: label, right: true, cell: price(name) })),
    ...(rows.some(({ kind }) => kind === "image") ? [PICTURE] : []),
    { title: "Provider's prices", cell: (row) => <ProviderPrices of={row} /> },
    { title: "Version", cell: (row) => <Version of={row} /> },
    {
      title: "Context window",
      right: true,
      cell: ({ context_tokens }) => (context_tokens === null ? "–" : <Count value={context_tokens} />),
    },
    ...(rows.some((row) => learnedLimits(row).length > 0) ? [LEARNED] : []),
    { title: "Spaces", right: true, cell: ({ space_count }) => <Count value={space_count} /> },
    { title: "Actions", actions: true, cell: (row) => <CatalogActions of={row} /> },
  ]
}
