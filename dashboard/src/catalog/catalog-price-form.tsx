import { choicesOf } from "../api/words.ts"
import { Select } from "../ui/field.tsx"
import { MarkupFields } from "./catalog-markup.tsx"
import { PriceFields } from "./catalog-price-fields.tsx"
import { PriceTerms } from "./catalog-price-terms.tsx"
import type { Kind } from "./catalog-price-texts.ts"
import { hasLists, type PriceTexts, type Source } from "./catalog-sources.ts"

const SOURCES = choicesOf<Source>({
  same: "The same as the provider's",
  markup: "The provider's with a markup",
  own: "A list of our own",
})

interface FormProps {
  kind: Kind
  texts: PriceTexts
  onChange: (texts: PriceTexts) => void
  error: unknown
  /** True if the request has the prices where a row of the catalog has them. */
  asRow?: boolean
  /** The object of the request that has the prices, such as `prices.`. */
  base?: string
}

/** The provider's prices, the markup and our prices of a model. */
export function PriceForm({ kind, texts, onChange, error, asRow = false, base = "" }: FormProps) {
  const { hasOwn, hasListed } = hasLists(texts)
  const within = base + (asRow ? "provider_prices." : "provider.")
  return (
    <>
      <Select
        label="Our prices"
        value={texts.source}
        options={SOURCES}
        onChange={({ target }) => onChange({ ...texts, source: target.value as Source })}
      />
      {hasListed && (
        <section className="grid gap-4">
          <h3 className="text-muted">The provider's prices, which you pay</h3>
          <PriceFields
            kind={kind}
            text={texts.listed}
            onChange={(listed) => onChange({ ...texts, listed })}
            error={error}
            within={within}
            asRow={asRow}
          />
          {kind === "chat" && (
            <PriceTerms
              text={texts.listedTerms}
              onChange={(listedTerms) => onChange({ ...texts, listedTerms })}
              error={error}
              within={within}
              asRow={asRow}
              list="provider's "
            />
          )}
        </section>
      )}
      {texts.source === "markup" && (
        <MarkupFields
          kind={kind}
          text={texts.markup}
          onChange={(markup) => onChange({ ...texts, markup })}
          error={error}
          within={base}
        />
      )}
      {hasOwn && (
        <section className="grid gap-4">
          {hasListed && <h3 className="text-muted">Our prices, which accounts pay</h3>}
          <PriceFields
            kind={kind}
            text={texts.text}
            onChange={(text) => onChange({ ...texts, text })}
            error={error}
            within={base}
            asRow={asRow}
          />
          {kind === "chat" && (
            <PriceTerms
              text={texts.terms}
              onChange={(terms) => onChange({ ...texts, terms })}
              error={error}
              within={base}
              asRow={asRow}
            />
          )}
        </section>
      )}
    </>
  )
}
