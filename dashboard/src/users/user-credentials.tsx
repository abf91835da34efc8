import { useState } from "react"
import type { UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { SetCredentialsRules } from "../api/rules.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { operatorNameOf } from "../operator/parts.tsx"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Sets email and password, or one of them. */
export function OperatorUserCredentials({ of, onClose }: { of: UserDetail; onClose: () => void }) {
  const change = useChange("setUserCredentials")
  const [email, setEmail] = useState(of.email ?? "")
  const [password, setPassword] = useState("")
  const newEmail = email && email !== of.email ? email : undefined
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { user_id: of.user_id }, body: { email: newEmail, password: password || undefined }, ifMatch },
      {
        onSuccess: () => {
          toast(`The login of ${operatorNameOf(of)} is set.`)
          onClose()
        },
      },
    )
  return (
    <OperatorEditDialog
      title={`Set the login of ${operatorNameOf(of)}`}
      about="All sessions of the user end, and every link that would open one."
      verb="Set it"
      change={change}
      save={save}
      mine={newEmail ? { email: newEmail } : {}}
      version={of.version}
      onClose={onClose}
      disabled={!newEmail && !password}
    >
      <TextInput
        label="Email"
        name="email"
        type="email"
        autoComplete="off"
        value={email}
        error={change.error}
        onChange={({ target }) => setEmail(target.value)}
      />
      <TextInput
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint={`At least ${SetCredentialsRules.password.minLength} characters. Empty: it stays as it is.`}
        value={password}
        error={change.error}
        onChange={({ target }) => setPassword(target.value)}
      />
    </OperatorEditDialog>
  )
}
