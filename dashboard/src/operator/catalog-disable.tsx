import { useQueryClient } from "@tanstack/react-query"
import { ApiError } from "../api/api-error.ts"
import type { ModelCatalogRow } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConflictDialog } from "../ui/conflict-dialog.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { toast } from "../ui/toast.tsx"

const WANTED = { enabled: false }

/** Disables a model after a question; a refusal, such as for the last one, is shown in it. */
export function OperatorDisableModel({ of, onClose }: { of: ModelCatalogRow; onClose: () => void }) {
  const client = useQueryClient()
  const change = useChange("patchModel", { changes: ["listModelCatalog"] })
  const conflict = change.error instanceof ApiError && change.error.code === "VERSION_MISMATCH"
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
      ? "No space resolves to it."
      : of.space_count === 1
        ? "1 space resolves to it."
        : `${of.space_count.toLocaleString("en-US")} spaces resolve to it.`
  return (
    <>
      <ConfirmDialog
        open={!conflict}
        onClose={onClose}
        title={`Disable ${of.label}?`}
        about={`New turns may not use it. ${spaces}`}
        verb="Disable"
        busy={change.isPending}
        error={change.error}
        onConfirm={() => save(of.version)}
      />
      <ConflictDialog
        error={change.error}
        mine={WANTED}
        onTakeTheirs={() => {
          void client.invalidateQueries({ queryKey: ["listModelCatalog"] })
          onClose()
        }}
        onKeepMine={save}
      />
    </>
  )
}
