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
  children?: ReactNode
  /** The mutation that `save` starts. The dialog shows its error. */
  change: { error: Error | null; isPending: boolean }
  save: (ifMatch: number) => void
  /** The values to save. A conflict shows them next to the values that another admin saved. */
  mine: object
  version: number
  onClose: () => void
}

/** Asks for confirmation, then edits one row. If another admin changed the row since, it shows both versions. */
export function ConfirmEdit({ change, save, mine, version, onClose, ...question }: ConfirmEditProps) {
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
