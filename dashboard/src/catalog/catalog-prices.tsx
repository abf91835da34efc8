import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { BeginFields, beginOf, instantOfBegin } from "../ui/begin-fields.tsx"
import { useDraft } from "../ui/draft.ts"
import { toast } from "../ui/toast.tsx"
import { PriceForm } from "./catalog-price-form.tsx"
import { pricesFrom, rowPricesFrom, textsAreWhole, textsOfPrices } from "./catalog-sources.ts"

/** Sets new prices for a model: the provider's and ours. They get a new price version. */
export function EditPrices({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const draft = useDraft(`prices.${of.pin}`, { version: of.version })
  const now = useChange("putModelPrices", { changes: ["listModelCatalog"], draft })
  const later = useChange("planModelPrices", { changes: ["listModelCatalog"], draft })
  const [texts, setTexts] = draft.useField("texts", textsOfPrices(of))
  const [begin, setBegin] = draft.useField("begin", beginOf(null))
  const begins_at = instantOfBegin(begin)
  const isPlan = begins_at !== null
  const change = isPlan ? later : now
  const save = (ifMatch?: number) => {
    const [path, prices] = [{ pin: of.pin }, pricesFrom(of.kind, texts)]
    const done = (words: string) => ({
      onSuccess: () => {
        toast(words)
        onClose()
      },
    })
    if (isPlan)
      later.mutate({ path, body: { begins_at, prices }, ifMatch }, done(`The new prices of ${of.label} are planned.`))
    else now.mutate({ path, body: prices, ifMatch }, done(`${of.label} has the new prices.`))
  }
  return (
    <EditDialog
      draft={draft}
      title={`Change prices of ${of.label}`}
      about={`The new prices become version ${of.price_version + 1}. Turns that are accepted before it begins keep their prices.`}
      verb={isPlan ? "Plan prices" : "Save prices"}
      change={change}
      save={save}
      mine={rowPricesFrom(of.kind, texts)}
      version={of.version}
      onClose={onClose}
      disabled={!textsAreWhole(texts, of.kind)}
    >
      <PriceForm kind={of.kind} texts={texts} onChange={setTexts} error={change.error} base={isPlan ? "prices." : ""} />
      <BeginFields begin={begin} onChange={setBegin} error={later.error} />
    </EditDialog>
  )
}
