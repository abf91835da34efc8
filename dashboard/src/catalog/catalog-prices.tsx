import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { PriceForm } from "./catalog-price-form.tsx"
import { pricesFrom, rowPricesFrom, textsAreWhole, textsOfPrices } from "./catalog-sources.ts"

/** Sets new prices for a model: the provider's and ours. They get a new price version. */
export function EditPrices({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const draft = useDraft(`prices.${of.pin}`, { version: of.version })
  const change = useChange("putModelPrices", { changes: ["listModelCatalog"], draft })
  const [texts, setTexts] = draft.useField("texts", textsOfPrices(of))
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { pin: of.pin }, body: pricesFrom(of.kind, texts), ifMatch },
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
      mine={rowPricesFrom(of.kind, texts)}
      version={of.version}
      onClose={onClose}
      disabled={!textsAreWhole(texts, of.kind)}
    >
      <PriceForm kind={of.kind} texts={texts} onChange={setTexts} error={change.error} />
    </EditDialog>
  )
}
