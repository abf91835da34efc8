import { Button } from "../ui/button.tsx"

interface RowActionsProps {
  /** The object of the actions, such as "the tool lookup_order". */
  of: string
  edit?: string
  onEdit: () => void
  onDelete: () => void
}

/** Buttons that edit and delete a part of the configuration. */
export const RowActions = ({ of, edit = "Edit", onEdit, onDelete }: RowActionsProps) => (
  <span className="inline-flex">
    <Button kind="quiet" aria-label={`${edit}: ${of}`} onClick={onEdit}>
      {edit}
    </Button>
    <Button kind="quiet" aria-label={`Delete: ${of}`} onClick={onDelete}>
      Delete
    </Button>
  </span>
)
