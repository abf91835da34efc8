import { useState } from "react"
import { useChange } from "../api/query.ts"
import { ChangePasswordRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

const EMPTY = { current: "", next: "", again: "" }

/** Sets the first password, or changes it. */
export function PasswordForm() {
  const change = useChange("changePassword", { changes: ["listSessions"] })
  const [form, setForm] = useState(EMPTY)
  const differs = form.again !== "" && form.again !== form.next
  const bind = (name: keyof typeof EMPTY) => ({
    type: "password",
    value: form[name],
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [name]: target.value }),
  })
  const send = () =>
    change.mutate(
      { body: { new_password: form.next, ...(form.current && { current_password: form.current }) } },
      {
        onSuccess: () => {
          toast("The password is set.")
          setForm(EMPTY)
        },
      },
    )
  return (
    <Form
      label="Password"
      onSubmit={send}
      actions={
        <Button
          kind="primary"
          type="submit"
          busy={change.isPending}
          disabled={form.next === "" || form.again !== form.next}
        >
          Set the password
        </Button>
      }
    >
      <TextInput
        label="Current password"
        hint="Leave empty if you have no password yet."
        name="current_password"
        autoComplete="current-password"
        error={change.error}
        {...bind("current")}
      />
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextInput
          label="New password"
          hint={`At least ${ChangePasswordRules.new_password.minLength} characters.`}
          name="new_password"
          autoComplete="new-password"
          error={change.error}
          {...bind("next")}
        />
        <TextInput
          label="New password again"
          name="again"
          autoComplete="new-password"
          error={differs ? "The passwords do not match." : undefined}
          {...bind("again")}
        />
      </div>
      {change.error && <ErrorState error={change.error} />}
    </Form>
  )
}
