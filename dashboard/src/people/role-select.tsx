import { Select } from "../ui/field.tsx"
import type { Role } from "../ui/rights.ts"
import { ROLE_ABOUT, ROLE_CHOICES } from "./role-words.ts"

interface RoleSelectProps {
  value: Role
  onChange: (role: Role) => void
  error?: unknown
}

/** Chooses a role, and says what it includes. */
export const RoleSelect = ({ value, onChange, error }: RoleSelectProps) => (
  <Select
    label="Role"
    name="role"
    hint={ROLE_ABOUT[value]}
    value={value}
    options={ROLE_CHOICES}
    error={error}
    onChange={({ target }) => onChange(target.value as Role)}
  />
)
