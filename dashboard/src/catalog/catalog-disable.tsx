import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { toast } from "../ui/toast.tsx"

const WANTED = { enabled: false }

/** Asks for confirmation and disables a model. Shows the error if the API refuses, for example for the last model. */
export function DisableModel({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const change = useChange("patchModel", { changes: ["listModelCatalog"] })
  const save = (ifMatch: number) =>
    change.mutate(
      { path: { pin: of.pin }, body: WANTED, ifMatch },
      {
        onSuccess: () => {
          toast(`${of.label} is disabled.`)
          onClose()
        },
      },
    )
  const spaces =
    of.space_count === 0
      ? "No space uses it."
      : of.space_count === 1
        ? "1 space uses it."
        : `${of.space_count.toLocaleString()} spaces use it.`
  return (
    <ConfirmEdit
      title={`Disable ${of.label}?`}
      about={`New turns cannot use this model. ${spaces}`}
      verb="Disable"
      change={change}
      save={save}
      mine={WANTED}
      version={of.version}
      onClose={onClose}
    />
  )
}
