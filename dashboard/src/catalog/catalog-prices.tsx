import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { plainNumber } from "../ui/plain.ts"
import { toast } from "../ui/toast.tsx"
import { PriceFields, pricesAreWhole, tokenPricesOf } from "./catalog-price-fields.tsx"

const textOf = (price: number | null) => (price === null ? "" : plainNumber(price))

/** Sets new prices for a model. They get a new price version. */
export function EditPrices({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const draft = useDraft(`prices.${of.pin}`, { version: of.version })
  const change = useChange("putModelPrices", { changes: ["listModelCatalog"], draft })
  const { input, cached, output, cache_write, cache_write_hour } = of.price_usd_per_million_tokens
  const [text, setText] = draft.useField("text", {
    input: plainNumber(input),
    cached: plainNumber(cached),
    output: plainNumber(output),
    cache_write: textOf(cache_write),
    cache_write_hour: textOf(cache_write_hour),
    picture: textOf(of.price_usd_per_picture),
  })
  const isImage = of.kind === "image"
  const tokens = tokenPricesOf(text)
  const body = isImage ? { picture: Number(text.picture) } : tokens
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { pin: of.pin }, body, ifMatch },
      {
        onSuccess: ({ price_version }) => {
          toast(`${of.label} now has price version ${price_version}.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Change prices of ${of.label}`}
      about={`The new prices become version ${of.price_version + 1}. Turns that were already accepted keep their prices.`}
      verb="Save prices"
      change={change}
      save={save}
      mine={isImage ? { price_usd_per_picture: Number(text.picture) } : { price_usd_per_million_tokens: tokens }}
      version={of.version}
      onClose={onClose}
      disabled={!pricesAreWhole(text, of.kind)}
    >
      <PriceFields kind={of.kind} text={text} onChange={setText} error={change.error} />
    </EditDialog>
  )
}
