import { useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ApiError } from "../api/api-error.ts"
import { Button } from "../ui/button.tsx"
import { ConflictDialog } from "../ui/conflict-dialog.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import type { Draft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form } from "../ui/field.tsx"

interface EditDialogProps {
  title: string
  about?: ReactNode
  /** The label of the submit button. */
  verb: string
  /** The mutation that `save` starts. */
  change: { error: Error | null; isPending: boolean }
  /** Saves the row. `ifMatch` must be its current version; a new row has none. */
  save: (ifMatch?: number) => void
  /** The values to save. A conflict shows them next to the values that another admin saved. */
  mine?: object
  /** The version of the row that the form edits. */
  version?: number | undefined
  /** What is typed into the form. Its version takes precedence, because the row may have been read again since. */
  draft: Draft
  disabled?: boolean
  onClose: () => void
  wide?: boolean
  children: ReactNode
}

/** A form that creates or edits one row. If another admin changed the row since, it shows both versions. */
export function EditDialog({
  title,
  about,
  verb,
  change,
  save,
  mine,
  version,
  draft,
  disabled,
  onClose,
  wide,
  children,
}: EditDialogProps) {
  const client = useQueryClient()
  const conflict = change.error instanceof ApiError && change.error.code === "VERSION_MISMATCH"
  return (
    <Dialog open onClose={onClose} title={title} about={about} wide={wide} draft={draft}>
      <Form
        label={title}
        onSubmit={() => save(draft.version ?? version)}
        actions={
          <>
            <Button type="submit" kind="primary" busy={change.isPending} disabled={disabled}>
              {verb}
            </Button>
            <DismissButton />
          </>
        }
      >
        {children}
        {change.error && !conflict ? <Failed error={change.error} /> : null}
      </Form>
      <ConflictDialog
        error={change.error}
        mine={mine ?? {}}
        onTakeTheirs={() => {
          draft.clear()
          void client.invalidateQueries()
          onClose()
        }}
        onKeepMine={(theirs) => save(theirs)}
      />
    </Dialog>
  )
}

/** A constant, because a callback ref that changes with each render would scroll at every keystroke. */
const intoView = (box: HTMLElement | null) => box?.scrollIntoView({ block: "nearest" })

/** Shows the error of the API, and the faults inside nested values, which no field of the form shows. */
function Failed({ error }: { error: Error }) {
  const deep = error instanceof ApiError ? error.faults.filter(({ loc }) => loc.length > 2) : []
  return (
    <div ref={intoView} className="flex flex-col gap-2">
      <ErrorState error={error} />
      {deep.length > 0 && (
        <ul className="text-bad text-xs">
          {deep.map(({ loc, msg }) => (
            <li key={loc.join(".")}>
              <code>{loc.slice(1).join(".")}</code> {msg}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
