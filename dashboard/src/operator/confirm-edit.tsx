import { useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ApiError } from "../api/api-error.ts"
import { ConflictDialog } from "../ui/conflict-dialog.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"

interface ConfirmEditProps {
  title: string
  about: ReactNode
  verb: string
  safe?: boolean
  /** The change that `save` makes; a refusal is shown in the dialog. */
  change: { error: Error | null; isPending: boolean }
  save: (ifMatch: number) => void
  /** What would be saved: beside theirs when somebody else was faster. */
  mine: object
  version: number
  onClose: () => void
}

/** A question before one row is edited. When somebody else has saved it in the meantime, it shows both versions. */
export function OperatorConfirmEdit({ change, save, mine, version, onClose, ...question }: ConfirmEditProps) {
  const client = useQueryClient()
  const conflict = change.error instanceof ApiError && change.error.code === "VERSION_MISMATCH"
  return (
    <>
      <ConfirmDialog
        {...question}
        open={!conflict}
        onClose={onClose}
        busy={change.isPending}
        error={change.error}
        onConfirm={() => save(version)}
      />
      <ConflictDialog
        error={change.error}
        mine={mine}
        onTakeTheirs={() => {
          void client.invalidateQueries()
          onClose()
        }}
        onKeepMine={save}
      />
    </>
  )
}
