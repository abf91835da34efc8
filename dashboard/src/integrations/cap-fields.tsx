import { TextInput } from "../ui/field.tsx"
import { CAP_FIELDS, type CapTexts } from "./key-words.ts"

interface CapFieldsProps {
  texts: CapTexts
  onChange: (texts: CapTexts) => void
  error: unknown
}

export const CapFields = ({ texts, onChange, error }: CapFieldsProps) => (
  <div className="grid gap-4 sm:grid-cols-2">
    {CAP_FIELDS.map(([name, label, hint]) => (
      <TextInput
        key={name}
        label={label}
        hint={hint}
        name={`caps.${name}`}
        error={error}
        inputMode="decimal"
        placeholder={name === "window_seconds" ? "86400" : "no cap"}
        autoComplete="off"
        value={texts[name]}
        onChange={({ target }) => onChange({ ...texts, [name]: target.value })}
      />
    ))}
  </div>
)
