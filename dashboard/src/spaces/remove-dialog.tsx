import { useChange } from "../api/query.ts"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { toast } from "../ui/toast.tsx"
import { useSpaceInput } from "./space-parts.ts"

interface RemoveDialogProps {
  operation: "deleteTool" | "deleteMcpServer" | "deleteSecret"
  /** The kind of object, such as "tool". */
  what: string
  name: string
  /** The consequences of the deletion. */
  about: string
  onClose: () => void
}

/** Asks for confirmation before it deletes a part of the space's configuration. */
export function RemoveFromSpaceDialog({ operation, what, name, about, onClose }: RemoveDialogProps) {
  const { path, query } = useSpaceInput()
  const remove = useChange(operation)
  const done = () => {
    toast(`The ${what} ${name} is deleted.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete the ${what} ${name}?`}
      about={about}
      verb="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ path: { ...path, name }, query }, { onSuccess: done })}
    />
  )
}
