import { Button } from "../ui/button.tsx"
import { TextInput } from "../ui/field.tsx"
import { type FactorText, type TermsText, TIER_PRICES, type TierText } from "./catalog-term-texts.ts"

interface TermsProps {
  text: TermsText
  onChange: (text: TermsText) => void
  error: unknown
  /** The object of the request that has them. */
  within?: string
  /** True if the request has them where a row of the catalog has them. */
  asRow?: boolean
  /** The name of the list in labels, if a form has two. */
  list?: string
}

const changedAt = <Item,>(items: readonly Item[], at: number, change: Partial<Item>) =>
  items.map((item, place) => (place === at ? { ...item, ...change } : item))

const without = <Item,>(items: readonly Item[], at: number) => items.filter((_item, place) => place !== at)

/** The fields of a model's tiers and factors. */
export function PriceTerms({ text, onChange, error, within = "", asRow = false, list = "" }: TermsProps) {
  const path = `${within}${asRow ? "price_" : ""}`
  const { tiers, factors } = text
  const setTier = (at: number, change: Partial<TierText>) => onChange({ ...text, tiers: changedAt(tiers, at, change) })
  const setFactor = (at: number, change: Partial<FactorText>) =>
    onChange({ ...text, factors: changedAt(factors, at, change) })
  return (
    <>
      {tiers.map(({ above, prices }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tiers have no ids, and their order is their meaning.
        <fieldset key={at}>
          <legend className="mb-2 text-muted">Tier {at + 1}, USD per million tokens of the whole call</legend>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextInput
              label={`Above input tokens, ${list}tier ${at + 1}`}
              name={`${path}tiers.${at}.above_input_tokens`}
              inputMode="numeric"
              value={above}
              error={error}
              onChange={({ target }) => setTier(at, { above: target.value })}
            />
            {TIER_PRICES.map(({ name, label, hint }) => (
              <TextInput
                key={name}
                label={`${label}, ${list}tier ${at + 1}`}
                hint={hint ?? undefined}
                name={`${path}tiers.${at}.${name}`}
                inputMode="decimal"
                value={prices[name] ?? ""}
                error={error}
                onChange={({ target }) => setTier(at, { prices: { ...prices, [name]: target.value } })}
              />
            ))}
          </div>
          <Button kind="quiet" onClick={() => onChange({ ...text, tiers: without(tiers, at) })}>
            Remove tier {at + 1}
          </Button>
        </fieldset>
      ))}
      {factors.map(({ tier, factor }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a factor has no id while its tier is typed.
        <div key={at} className="grid gap-4 sm:grid-cols-2">
          <TextInput
            label={`Served as, ${list}factor ${at + 1}`}
            hint="A service tier (flex, priority), fast, or geo_us."
            value={tier}
            onChange={({ target }) => setFactor(at, { tier: target.value })}
          />
          <TextInput
            label={`Value of ${list}factor ${at + 1}`}
            name={`${path}modifiers.${tier.trim()}`}
            inputMode="decimal"
            value={factor}
            error={error}
            onChange={({ target }) => setFactor(at, { factor: target.value })}
          />
          <Button
            kind="quiet"
            className="justify-self-start"
            onClick={() => onChange({ ...text, factors: without(factors, at) })}
          >
            Remove factor {at + 1}
          </Button>
        </div>
      ))}
      <div className="flex gap-2">
        <Button onClick={() => onChange({ ...text, tiers: [...tiers, { above: "", prices: {} }] })}>Add tier</Button>
        <Button onClick={() => onChange({ ...text, factors: [...factors, { tier: "", factor: "" }] })}>
          Add factor
        </Button>
      </div>
    </>
  )
}
