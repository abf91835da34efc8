import type { UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { SetCredentialsRules } from "../api/rules.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { nameOf } from "../operator/parts.tsx"
import { useDraft } from "../ui/draft.ts"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Changes the email, the password or both. */
export function UserCredentials({ of, onClose }: { of: UserDetail; onClose: () => void }) {
  const draft = useDraft(`login.${of.user_id}`, { version: of.version })
  const change = useChange("setUserCredentials", { draft })
  const [email, setEmail] = draft.useField("email", of.email ?? "")
  const [password, setPassword] = draft.useField("password", "", { secret: true })
  const newEmail = email && email !== of.email ? email : undefined
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { user_id: of.user_id }, body: { email: newEmail, password: password || undefined }, ifMatch },
      {
        onSuccess: () => {
          toast(`The login of ${nameOf(of)} was changed.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Change the login of ${nameOf(of)}`}
      about="This ends all sessions of the user, and cancels all sign-in links."
      verb="Change"
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
        hint={`At least ${SetCredentialsRules.password.minLength} characters. Leave empty to keep the password.`}
        value={password}
        error={change.error}
        onChange={({ target }) => setPassword(target.value)}
      />
    </EditDialog>
  )
}
