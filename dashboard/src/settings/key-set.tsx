import type { ExternalApiKey } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { UpdateApiKeyRequestRules } from "../api/rules.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

const LEAST = UpdateApiKeyRequestRules.value.minLength

/** Sets the value of a provider key. The value cannot be read again. */
export function SetKey({ of, onClose }: { of: ExternalApiKey; onClose: () => void }) {
  const draft = useDraft(`external-key.${of.key_id}`, { version: of.version })
  const change = useChange("updateExternalApiKey", { changes: ["listExternalApiKeys"], draft })
  const [value, setValue] = draft.useField("value", "", { secret: true })
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { key_id: of.key_id }, body: { value }, ifMatch },
      {
        onSuccess: ({ last_four }) => {
          toast(`${of.name} was saved. It ends with ${last_four}.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={of.is_set ? `Replace ${of.key_id}` : `Set ${of.key_id}`}
      about={
        of.is_set
          ? `This deletes the value that ends with ${of.last_four}. The next model call uses the new value.`
          : "The next model call uses this value instead of the environment variable of the worker."
      }
      verb={of.is_set ? "Replace" : "Set"}
      change={change}
      save={save}
      mine={{ last_four: value.slice(-4) }}
      version={of.version}
      onClose={onClose}
      disabled={value.length < LEAST}
    >
      <TextInput
        label="Value"
        name="value"
        type="password"
        autoComplete="off"
        hint={`At least ${LEAST} characters, no spaces. The value is never shown again.`}
        value={value}
        error={change.error}
        onChange={({ target }) => setValue(target.value)}
      />
    </EditDialog>
  )
}
