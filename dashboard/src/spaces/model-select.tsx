import { useRead } from "../api/query.ts"
import { Select } from "../ui/field.tsx"

interface ModelSelectProps {
  label: string
  /** What is chosen without a pin. */
  none: string
  value: string
  onChange: (pin: string) => void
  test: true | undefined
  hint?: string
  name?: string
  error?: unknown
  disabled?: boolean
}

/** A model of the catalog by its pin. A pin that is no longer there stays a choice. */
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
