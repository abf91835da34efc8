import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { OperatorConfirmEdit } from "../operator/confirm-edit.tsx"
import { toast } from "../ui/toast.tsx"

const WANTED = { enabled: false }

/** Disables a model after a question; a refusal, such as for the last one, is shown in it. */
export function OperatorDisableModel({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
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
      ? "No space is pinned to it."
      : of.space_count === 1
        ? "1 space is pinned to it."
        : `${of.space_count.toLocaleString("en-US")} spaces are pinned to it.`
  return (
    <OperatorConfirmEdit
      title={`Disable ${of.label}?`}
      about={`New turns may not use it. ${spaces}`}
      verb="Disable"
      change={change}
      save={save}
      mine={WANTED}
      version={of.version}
      onClose={onClose}
    />
  )
}
