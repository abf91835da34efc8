import type { FileInfo } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { toast } from "../ui/toast.tsx"
import { useSpaceInput } from "./space-parts.ts"

export function DeleteFileDialog({ file, onClose }: { file: FileInfo; onClose: () => void }) {
  const { path, query } = useSpaceInput()
  const remove = useChange("deleteFile", { changes: ["listFiles"] })
  const done = () => {
    toast(`${file.name} is deleted.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete the file ${file.name}?`}
      about="Its bytes are gone for good. Turns that were sent it keep what they have answered."
      verb="Delete it"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ path: { ...path, file_id: file.file_id }, query }, { onSuccess: done })}
    />
  )
}
