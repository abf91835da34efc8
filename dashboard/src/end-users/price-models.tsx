import { ApiError } from "../api/api-error.ts"
import type { Price } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button, IconButton } from "../ui/button.tsx"
import { Select, TextInput } from "../ui/field.tsx"
import { plainNumber, typedNumber } from "../ui/plain.ts"

interface ModelRow {
  /** Empty: no model is selected yet. */
  pin: string
  multiplier: string
}

export const modelRowsOf = (perModel: Price["per_model"]): ModelRow[] =>
  Object.entries(perModel).map(([pin, multiplier]) => ({ pin, multiplier: plainNumber(multiplier) }))

export const perModelOf = (rows: readonly ModelRow[]): Price["per_model"] =>
  Object.fromEntries(rows.map(({ pin, multiplier }) => [pin, typedNumber(multiplier)]))

/** True if each row has a model and a multiplier. A model can be selected only once. */
export const isComplete = (rows: readonly ModelRow[]): boolean =>
  rows.every(({ pin, multiplier }) => pin !== "" && multiplier.trim() !== "")

interface PriceModelsProps {
  rows: readonly ModelRow[]
  onChange: (rows: ModelRow[]) => void
  error: unknown
  test: true | undefined
}

/** The multipliers of single models in a price. */
export function PriceModels({ rows, onChange, error, test }: PriceModelsProps) {
  const models = useRead("listModels", { query: { test: test && "true" } })
  const known = models.data?.data ?? []
  const change = (at: number, part: Partial<ModelRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  /** The models that no other row has. The model of the row stays a choice if the catalog no longer has it. */
  const choicesOf = ({ pin: own }: ModelRow) => {
    const others = new Set(rows.map(({ pin }) => pin).filter((pin) => pin !== own))
    const free = known
      .filter(({ pin }) => !others.has(pin))
      .map(({ pin, label }) => [pin, `${label} (${pin})`] as const)
    const isGone = own !== "" && !known.some(({ pin }) => pin === own)
    return [["", "Select a model"] as const, ...free, ...(isGone ? [[own, own] as const] : [])]
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-strong">Multipliers of single models</legend>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row keeps its place while it is edited
        <div key={at} className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_auto] items-start gap-2">
          <Select
            label={`Model ${at + 1}`}
            value={row.pin}
            onChange={({ target }) => change(at, { pin: target.value })}
            options={choicesOf(row)}
          />
          <TextInput
            label={`Multiplier ${at + 1}`}
            inputMode="decimal"
            autoComplete="off"
            error={error instanceof ApiError ? error.faultOf(`per_model.${row.pin}`) : undefined}
            value={row.multiplier}
            onChange={({ target }) => change(at, { multiplier: target.value })}
          />
          <IconButton
            label={`Remove model ${at + 1}`}
            icon="close"
            className="mt-6"
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <p className="text-muted text-xs">All other models have the multiplier above.</p>
      <div>
        <Button icon="plus" onClick={() => onChange([...rows, { pin: "", multiplier: "" }])}>
          Add a model
        </Button>
      </div>
    </fieldset>
  )
}
