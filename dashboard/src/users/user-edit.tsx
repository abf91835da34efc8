import type { User, UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { UpdateUserRules } from "../api/rules.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { nameOf } from "../operator/parts.tsx"
import { useDraft } from "../ui/draft.ts"
import { Checkbox, Select, TextInput } from "../ui/field.tsx"
import { plainNumber } from "../ui/plain.ts"
import { toast } from "../ui/toast.tsx"

const amount = (text: string): number | null => (text.trim() === "" ? null : Number(text))
const shown = (value: number | null) => (value === null ? "" : plainNumber(value))

/** Edits an account. The request contains only the changed fields. */
export function EditUser({ of, onClose }: { of: UserDetail; onClose: () => void }) {
  const draft = useDraft(`user.${of.user_id}`, { version: of.version })
  const change = useChange("updateUser", { draft })
  const [text, setText] = draft.useField("text", {
    name: of.name ?? "",
    email: of.email ?? "",
    brand: of.brand,
    low_balance_usd: shown(of.low_balance_usd),
    end_user_daily_usd: shown(of.end_user_daily_usd),
    end_user_monthly_usd: shown(of.end_user_monthly_usd),
  })
  const [role, setRole] = draft.useField<User["role"]>("role", of.role)
  const [verified, setVerified] = draft.useField("verified", of.email_verified)
  const wanted = {
    name: text.name || null,
    email: text.email || null,
    brand: text.brand,
    low_balance_usd: amount(text.low_balance_usd) ?? 0,
    end_user_daily_usd: amount(text.end_user_daily_usd),
    end_user_monthly_usd: amount(text.end_user_monthly_usd),
    role,
    email_verified: verified,
  }
  const body = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== of[name as keyof typeof wanted]),
  )
  const field = (name: keyof typeof text) => ({
    name,
    value: text[name],
    error: change.error,
    onChange: ({ target }: { target: { value: string } }) => setText({ ...text, [name]: target.value }),
  })
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { user_id: of.user_id }, body, ifMatch },
      {
        onSuccess: () => {
          toast(`${nameOf(of)} was saved.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Edit ${nameOf(of)}`}
      verb="Save"
      change={change}
      save={save}
      mine={body}
      version={of.version}
      onClose={onClose}
      disabled={Object.keys(body).length === 0}
    >
      <TextInput label="Name" {...field("name")} />
      <TextInput label="Email" type="email" {...field("email")} />
      <Checkbox
        label="The email is verified"
        checked={verified}
        disabled={!text.email}
        onChange={({ target }) => setVerified(target.checked)}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label="Role"
          name="role"
          value={role}
          options={UpdateUserRules.role.words}
          onChange={({ target }) => setRole(target.value as User["role"])}
        />
        <TextInput label="Brand" {...field("brand")} />
        <TextInput
          label="Low balance alert (USD)"
          inputMode="decimal"
          hint="0 disables the alert"
          {...field("low_balance_usd")}
        />
        <span className="max-sm:hidden" />
        <TextInput
          label="Daily cap per end user (USD)"
          inputMode="decimal"
          hint="Leave empty for no cap"
          {...field("end_user_daily_usd")}
        />
        <TextInput
          label="Monthly cap per end user (USD)"
          inputMode="decimal"
          hint="Leave empty for no cap"
          {...field("end_user_monthly_usd")}
        />
      </div>
    </EditDialog>
  )
}
