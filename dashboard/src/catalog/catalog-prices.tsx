import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { PriceFields } from "./catalog-price-fields.tsx"
import { PriceTerms } from "./catalog-price-terms.tsx"
import { pricesAreWhole, requestOf, rowPricesOf, termsOf, textsOf } from "./catalog-price-texts.ts"

/** Sets new prices for a model. They get a new price version. */
export function EditPrices({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const draft = useDraft(`prices.${of.pin}`, { version: of.version })
  const change = useChange("putModelPrices", { changes: ["listModelCatalog"], draft })
  const [text, setText] = draft.useField("text", textsOf(of))
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { pin: of.pin }, body: { ...requestOf(text, of.kind), ...termsOf(of) }, ifMatch },
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
      mine={rowPricesOf(text, of.kind)}
      version={of.version}
      onClose={onClose}
      disabled={!pricesAreWhole(text, of.kind)}
    >
      <PriceFields kind={of.kind} text={text} onChange={setText} error={change.error} />
      <PriceTerms of={of} />
    </EditDialog>
  )
}
