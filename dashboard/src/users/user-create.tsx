import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { User } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { CreateUserRules } from "../api/rules.ts"
import { OperatorEditDialog } from "../operator/edit-dialog.tsx"
import { operatorNameOf } from "../operator/parts.tsx"
import { Checkbox, Select, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Makes an account, and goes to it. */
export function OperatorCreateUser({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const change = useChange("createUser", { changes: ["listUsers", "getOverview"] })
  const [user, setUser] = useState({ email: "", name: "", messenger_id: "", brand: "", password: "" })
  const [role, setRole] = useState<User["role"]>(CreateUserRules.role.default)
  const [verified, setVerified] = useState(false)
  const field = (name: keyof typeof user) => ({
    name,
    value: user[name],
    error: change.error,
    onChange: ({ target }: { target: { value: string } }) => setUser({ ...user, [name]: target.value }),
  })
  const save = () =>
    change.mutate(
      {
        body: {
          email: user.email || undefined,
          name: user.name || undefined,
          messenger_id: user.messenger_id || undefined,
          brand: user.brand || undefined,
          password: user.password || undefined,
          role,
          email_verified: verified || undefined,
        },
      },
      {
        onSuccess: (made) => {
          toast(`${operatorNameOf(made)} has an account.`)
          void navigate({ to: "/operator/users/$userId", params: { userId: String(made.user_id) } })
        },
      },
    )
  return (
    <OperatorEditDialog
      title="Create a user"
      about="With an email, an id on the messaging platform, or both. The wallet is empty."
      verb="Create"
      change={change}
      save={save}
      onClose={onClose}
      disabled={!user.email && !user.messenger_id}
    >
      <TextInput label="Email" type="email" autoComplete="off" {...field("email")} />
      <Checkbox
        label="The email is known to be theirs"
        hint="Only then an identity with this email joins the account."
        checked={verified}
        disabled={!user.email}
        onChange={({ target }) => setVerified(target.checked)}
      />
      <TextInput label="Name" autoComplete="off" {...field("name")} />
      <TextInput
        label="Password"
        type="password"
        autoComplete="new-password"
        hint={`At least ${CreateUserRules.password.minLength} characters. Without one they sign in by a link or a provider.`}
        {...field("password")}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label="Role"
          name="role"
          value={role}
          options={CreateUserRules.role.words}
          onChange={({ target }) => setRole(target.value as User["role"])}
        />
        <TextInput label="Brand" hint="Empty: the service's own." {...field("brand")} />
      </div>
      <TextInput label="Messaging id" hint="Their id on the messaging platform." {...field("messenger_id")} />
    </OperatorEditDialog>
  )
}
