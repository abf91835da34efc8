import type { ModelCatalogRow } from "../api/operations.ts"
import { Count, Money } from "../ui/values.tsx"

/** The tiers and factors of a model's prices. Nothing for a model without. */
export function PriceTerms({ of: { price_tiers, price_modifiers } }: { of: ModelCatalogRow }) {
  const modifiers = Object.entries(price_modifiers)
  if (price_tiers.length === 0 && modifiers.length === 0) return null
  return (
    <section>
      <h3 className="mb-2 text-muted">Kept as they are</h3>
      <ul className="grid gap-1">
        {price_tiers.map(({ above_input_tokens, input, output }) => (
          <li key={above_input_tokens}>
            Above <Count value={above_input_tokens} /> input tokens: input <Money usd={input} />, output{" "}
            <Money usd={output} />
          </li>
        ))}
        {modifiers.map(([word, factor]) => (
          <li key={word}>
            Served as {word}: × {factor}
          </li>
        ))}
      </ul>
    </section>
  )
}
