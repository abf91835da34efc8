import { TextInput } from "../ui/field.tsx"
import { type Kind, type PriceEntry, type PriceText, pricesOf } from "./catalog-price-texts.ts"

interface FieldsProps {
  kind: Kind
  text: PriceText
  onChange: (text: PriceText) => void
  error: unknown
  /** True if the request has the prices where a row of the catalog has them. */
  asRow?: boolean
  /** The field of the request that has these prices, such as `provider.`. */
  within?: string
}

/** The price fields of a model, in USD per million tokens or per unit. */
export function PriceFields({ kind, text, onChange, error, asRow = false, within = "" }: FieldsProps) {
  const field = ({ name, place, label, hint, perUnit }: PriceEntry) => (
    <TextInput
      key={name}
      label={perUnit ? `USD per ${label.toLowerCase()}` : label}
      hint={hint ?? undefined}
      name={within + (asRow ? place : name)}
      inputMode="decimal"
      value={text[name] ?? ""}
      error={error}
      onChange={({ target }) => onChange({ ...text, [name]: target.value })}
    />
  )
  const prices = pricesOf(kind)
  const ofTokens = prices.filter(({ perUnit }) => !perUnit)
  return (
    <>
      {ofTokens.length > 0 && (
        <fieldset>
          <legend className="mb-2 text-muted">USD per million tokens</legend>
          <div className="grid gap-4 sm:grid-cols-2">{ofTokens.map(field)}</div>
        </fieldset>
      )}
      {prices.filter(({ perUnit }) => perUnit).map(field)}
    </>
  )
}
