import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

export function RenameModel({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const draft = useDraft(`model.${of.pin}`, { version: of.version })
  const change = useChange("patchModel", { changes: ["listModelCatalog"], draft })
  const [label, setLabel] = draft.useField("label", of.label)
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { pin: of.pin }, body: { label }, ifMatch },
      {
        onSuccess: () => {
          toast(`${of.pin} is now called ${label}.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Rename ${of.label}`}
      about="Changes the name that users see. The pin does not change."
      verb="Save"
      change={change}
      save={save}
      mine={{ label }}
      version={of.version}
      onClose={onClose}
      disabled={!label.trim() || label === of.label}
    >
      <TextInput
        label="Name"
        name="label"
        value={label}
        error={change.error}
        onChange={({ target }) => setLabel(target.value)}
      />
    </EditDialog>
  )
}
