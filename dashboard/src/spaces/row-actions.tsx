import type { OperationId } from "../api/call.ts"
import { Button } from "../ui/button.tsx"

interface RowActionsProps {
  /** The object of the actions, such as "the tool lookup_order". */
  of: string
  edit?: string
  does: { edit: OperationId; delete: OperationId }
  onEdit: () => void
  onDelete: () => void
}

/** Buttons that edit and delete a part of the configuration. */
export const RowActions = ({ of, edit = "Edit", does, onEdit, onDelete }: RowActionsProps) => (
  <span className="inline-flex">
    <Button does={does.edit} kind="quiet" aria-label={`${edit}: ${of}`} onClick={onEdit}>
      {edit}
    </Button>
    <Button does={does.delete} kind="quiet" aria-label={`Delete: ${of}`} onClick={onDelete}>
      Delete
    </Button>
  </span>
)
