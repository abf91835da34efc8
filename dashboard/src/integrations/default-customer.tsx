import { TextInput } from "../ui/field.tsx"

interface Props {
  value: string
  error: Error | null
  onChange: (value: string) => void
}

/** The customer of a key's requests that name none. */
export const DefaultCustomer = ({ value, error, onChange }: Props) => (
  <TextInput
    label="Default customer"
    name="default_end_user_ref"
    hint="For chat interfaces with OpenAI's API, which name no customer. Empty: the id of the key."
    autoComplete="off"
    error={error}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
