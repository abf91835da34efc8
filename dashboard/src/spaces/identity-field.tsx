import { Checkbox } from "../ui/field.tsx"

/** Whether requests to a tool or an MCP server say for whom they are made. */
export function IdentityField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  return (
    <Checkbox
      label="Signed identity"
      hint="Each request says for which end user and turn it is made."
      checked={value}
      onChange={({ target }) => onChange(target.checked)}
    />
  )
}
