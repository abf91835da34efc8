import { useRead } from "../api/query.ts"
import { Select } from "../ui/field.tsx"

interface ModelSelectProps {
  label: string
  /** The label of the choice without a pin. */
  none: string
  value: string
  onChange: (pin: string) => void
  test: true | undefined
  hint?: string
  name?: string
  error?: unknown
  disabled?: boolean
}

/** Selects a model of the catalog. A selected pin that is no longer in the catalog stays a choice. */
export function ModelSelect({ none, value, onChange, test, ...rest }: ModelSelectProps) {
  const models = useRead("listModels", { query: { test: test && "true" } })
  const known = models.data?.data ?? []
  const gone = value !== "" && !known.some(({ pin }) => pin === value)
  return (
    <Select
      {...rest}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      options={[
        ["", none],
        ...known.map(({ pin, label }) => [pin, label === pin ? pin : `${label} (${pin})`] as const),
        ...(gone ? [[value, models.data ? `${value} (not in the catalog)` : value] as const] : []),
      ]}
    />
  )
}
