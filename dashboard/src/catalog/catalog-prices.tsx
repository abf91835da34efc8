import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { choicesOf } from "../api/words.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { Select } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { MarkupFields } from "./catalog-markup.tsx"
import { PriceFields } from "./catalog-price-fields.tsx"
import { PriceTerms } from "./catalog-price-terms.tsx"
import { listedOf, pricesAreWhole, rowPricesOf, textsOf } from "./catalog-price-texts.ts"
import { markupIsWhole, pricesFrom, type Source, sourceOf, textsOfMarkup } from "./catalog-sources.ts"
import { termsAreWhole, termsTextOf } from "./catalog-term-texts.ts"

const SOURCES = choicesOf<Source>({
  same: "The same as the provider's",
  markup: "The provider's with a markup",
  own: "A list of our own",
})

/** Sets new prices for a model: the provider's and ours. They get a new price version. */
export function EditPrices({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const draft = useDraft(`prices.${of.pin}`, { version: of.version })
  const change = useChange("putModelPrices", { changes: ["listModelCatalog"], draft })
  const [text, setText] = draft.useField("text", textsOf(of))
  const [listed, setListed] = draft.useField("listed", textsOf(listedOf(of)))
  const [terms, setTerms] = draft.useField("terms", termsTextOf(of))
  const [listedTerms, setListedTerms] = draft.useField("listed_terms", termsTextOf(listedOf(of)))
  const [source, setSource] = draft.useField<Source>("source", sourceOf(of))
  const [markup, setMarkup] = draft.useField("markup", textsOfMarkup(of))
  const [hasOwn, hasListed] = [source !== "markup", source !== "same"]
  const isWhole =
    (!hasOwn || (pricesAreWhole(text, of.kind) && termsAreWhole(terms))) &&
    (!hasListed || (pricesAreWhole(listed, of.kind) && termsAreWhole(listedTerms))) &&
    (source !== "markup" || markupIsWhole(markup))
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { pin: of.pin }, body: pricesFrom(of, source, { text, listed, terms, listedTerms, markup }), ifMatch },
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
      mine={hasOwn ? rowPricesOf(text, of.kind) : { provider_prices: rowPricesOf(listed, of.kind) }}
      version={of.version}
      onClose={onClose}
      disabled={!isWhole}
    >
      <Select
        label="Our prices"
        value={source}
        options={SOURCES}
        onChange={({ target }) => setSource(target.value as Source)}
      />
      {hasListed && (
        <section className="grid gap-4">
          <h3 className="text-muted">The provider's prices, which you pay</h3>
          <PriceFields kind={of.kind} text={listed} onChange={setListed} error={change.error} within="provider." />
          {of.kind === "chat" && (
            <PriceTerms
              text={listedTerms}
              onChange={setListedTerms}
              error={change.error}
              within="provider."
              list="provider's "
            />
          )}
        </section>
      )}
      {source === "markup" && <MarkupFields kind={of.kind} text={markup} onChange={setMarkup} error={change.error} />}
      {hasOwn && (
        <section className="grid gap-4">
          {hasListed && <h3 className="text-muted">Our prices, which accounts pay</h3>}
          <PriceFields kind={of.kind} text={text} onChange={setText} error={change.error} />
          {of.kind === "chat" && <PriceTerms text={terms} onChange={setTerms} error={change.error} />}
        </section>
      )}
    </EditDialog>
  )
}
