import { TextInput } from "../ui/field.tsx"

export interface PriceText {
  input: string
  cached: string
  output: string
  cache_write: string
  cache_write_hour: string
  picture: string
}

const WRITES = { cache_write: "", cache_write_hour: "" }
export const OPERATOR_NO_PRICES: PriceText = { input: "", cached: "", output: "", ...WRITES, picture: "" }

const FIELDS = [
  ["input", "Input", undefined],
  ["cached", "Cached input", undefined],
  ["output", "Output", undefined],
  ["cache_write", "Cache writes, 5 minutes", "Default: the input price"],
  ["cache_write_hour", "Cache writes, 1 hour", "Leave empty to never use the one-hour cache"],
] as const

/** True if all required prices of the kind are numbers. */
export const pricesAreWhole = (text: PriceText, kind: "chat" | "image") =>
  (kind === "image" ? [text.picture] : [text.input, text.cached, text.output]).every(
    (price) => price.trim() !== "" && !Number.isNaN(Number(price)),
  ) && [text.cache_write, text.cache_write_hour].every((price) => !Number.isNaN(Number(price)))

const orNull = (text: string) => (text.trim() === "" ? null : Number(text))

export const tokenPricesOf = ({ input, cached, output, ...writes }: PriceText) => ({
  input: Number(input),
  cached: Number(cached),
  output: Number(output),
  cache_write: orNull(writes.cache_write),
  cache_write_hour: orNull(writes.cache_write_hour),
})

interface FieldsProps {
  kind: "chat" | "image"
  text: PriceText
  onChange: (text: PriceText) => void
  error: unknown
  /** The path of the prices in the request body, with a dot at its end. */
  within?: string
}

/** The price fields of a model, in USD per million tokens or per picture. */
export function PriceFields({ kind, text, onChange, error, within = "" }: FieldsProps) {
  if (kind === "image")
    return (
      <TextInput
        label="USD per picture"
        name={within ? "price_usd_per_picture" : "picture"}
        inputMode="decimal"
        value={text.picture}
        error={error}
        onChange={({ target }) => onChange({ ...text, picture: target.value })}
      />
    )
  return (
    <fieldset>
      <legend className="mb-2 text-muted">USD per million tokens</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map(([name, label, hint]) => (
          <TextInput
            key={name}
            label={label}
            hint={hint}
            name={within + name}
            inputMode="decimal"
            value={text[name]}
            error={error}
            onChange={({ target }) => onChange({ ...text, [name]: target.value })}
          />
        ))}
      </div>
    </fieldset>
  )
}
