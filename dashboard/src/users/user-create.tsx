import { useNavigate } from "@tanstack/react-router"
import type { User } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { CreateUserRules } from "../api/rules.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { nameOf } from "../operator/parts.tsx"
import { useDraft } from "../ui/draft.ts"
import { Checkbox, Select, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Creates an account, and opens its page. */
export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const draft = useDraft("user.new")
  const change = useChange("createUser", { changes: ["listUsers", "getOverview"], draft })
  const [user, setUser] = draft.useField(
    "user",
    { email: "", name: "", messenger_id: "", brand: "", password: "" },
    { secret: ["password"] },
  )
  const [role, setRole] = draft.useField<User["role"]>("role", CreateUserRules.role.default)
  const [verified, setVerified] = draft.useField("verified", false)
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
          toast(`The account of ${nameOf(made)} was created.`)
          void navigate({ to: "/operator/users/$userId", params: { userId: String(made.user_id) } })
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title="Create a user"
      about="Enter an email, an id on the messaging platform, or both. The account starts without credit."
      verb="Create"
      change={change}
      save={save}
      onClose={onClose}
      disabled={!user.email && !user.messenger_id}
    >
      <TextInput label="Email" type="email" autoComplete="off" {...field("email")} />
      <Checkbox
        label="The email is verified"
        hint="Only then can the user sign in with an identity that has this email."
        checked={verified}
        disabled={!user.email}
        onChange={({ target }) => setVerified(target.checked)}
      />
      <TextInput label="Name" autoComplete="off" {...field("name")} />
      <TextInput
        label="Password"
        type="password"
        autoComplete="new-password"
        hint={`At least ${CreateUserRules.password.minLength} characters. Without a password, the user signs in with a link or a provider.`}
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
        <TextInput label="Brand" hint="Default: the brand of the service" {...field("brand")} />
      </div>
      <TextInput label="Messaging id" hint="The id of the user on the messaging platform" {...field("messenger_id")} />
    </EditDialog>
  )
}
