import { TextInput } from "../ui/field.tsx"
import type { Kind } from "./catalog-price-texts.ts"
import type { MarkupText } from "./catalog-sources.ts"

interface FieldsProps {
  kind: Kind
  text: MarkupText
  onChange: (text: MarkupText) => void
  error: unknown
  /** The object of the request that has the markup. */
  within: string
}

/** How our prices are made of the provider's. */
export function MarkupFields({ kind, text, onChange, error, within }: FieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextInput
        label="Markup (%)"
        hint="Added to every price"
        name={`${within}markup.percent`}
        inputMode="decimal"
        value={text.percent}
        error={error}
        onChange={({ target }) => onChange({ ...text, percent: target.value })}
      />
      {kind === "chat" && (
        <TextInput
          label="Markup (USD)"
          hint="Added per million tokens"
          name={`${within}markup.usd_per_million_tokens`}
          inputMode="decimal"
          value={text.usd}
          error={error}
          onChange={({ target }) => onChange({ ...text, usd: target.value })}
        />
      )}
    </div>
  )
}
