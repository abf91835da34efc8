import { useChange } from "../api/query.ts"
import { PutSecretRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"
import { useSpaceInput } from "./space-parts.ts"

const { minLength, maxLength } = PutSecretRules.value

interface PutSecretProps {
  /** Null: adds a new one. */
  name: string | null
  taken: string[]
  onClose: () => void
}

export function PutSecretDialog({ name: given, taken, onClose }: PutSecretProps) {
  const { path, query } = useSpaceInput()
  const draft = useDraft(`secret.${path.space_id}.${given ?? ""}`)
  const put = useChange("putSecret", { changes: ["listSecrets", "getSpace", "listConfigVersions"], draft })
  const [name, setName] = draft.useField("name", given ?? "")
  const [value, setValue] = draft.useField("value", "", { secret: true })
  const isTaken = given === null && taken.includes(name)
  const send = () =>
    put.mutate(
      { path: { ...path, name }, query, body: { value } },
      {
        onSuccess: () => {
          toast(`The secret ${name} is set.`)
          onClose()
        },
      },
    )
  return (
    <Dialog
      draft={draft}
      open
      onClose={onClose}
      title={given ? `Set a new value for ${given}` : "Add a secret"}
      about={given ? "The new value replaces the old one immediately." : "Its value is never shown again."}
    >
      <Form
        label="Set a secret"
        onSubmit={send}
        actions={
          <>
            <Button kind="primary" type="submit" busy={put.isPending} disabled={name === "" || value === "" || isTaken}>
              Save the secret
            </Button>
            <DismissButton />
          </>
        }
      >
        {given === null && (
          <TextInput
            label="Name"
            placeholder="SHOP_TOKEN"
            name="name"
            autoComplete="off"
            error={isTaken ? "A secret with this name exists. Set a new value for it instead." : put.error}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
        <TextInput
          label="Value"
          hint={`${minLength} to ${maxLength.toLocaleString()} characters.`}
          type="password"
          name="value"
          autoComplete="off"
          error={put.error}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
        {put.error && <ErrorState error={put.error} />}
      </Form>
    </Dialog>
  )
}
