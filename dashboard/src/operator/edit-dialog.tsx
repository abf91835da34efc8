import { useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ApiError } from "../api/api-error.ts"
import { Button } from "../ui/button.tsx"
import { ConflictDialog } from "../ui/conflict-dialog.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form } from "../ui/field.tsx"

interface EditDialogProps {
  title: string
  about?: ReactNode
  /** The verb on the button that saves. */
  verb: string
  /** The change that `save` makes. */
  change: { error: Error | null; isPending: boolean }
  /** Saves; with a version that must be the newest one, or without when the row is new. */
  save: (ifMatch?: number) => void
  /** What would be saved: beside theirs when somebody else was faster. */
  mine?: object
  /** The version that is edited. */
  version?: number
  disabled?: boolean
  onClose: () => void
  wide?: boolean
  children: ReactNode
}

/** A form in a dialog that makes or edits one row. When somebody else has saved it in the meantime, it shows both versions. */
export function OperatorEditDialog({
  title,
  about,
  verb,
  change,
  save,
  mine,
  version,
  disabled,
  onClose,
  wide,
  children,
}: EditDialogProps) {
  const client = useQueryClient()
  const conflict = change.error instanceof ApiError && change.error.code === "VERSION_MISMATCH"
  return (
    <Dialog open onClose={onClose} title={title} about={about} wide={wide}>
      <Form
        label={title}
        onSubmit={() => save(version)}
        actions={
          <>
            <Button type="submit" kind="primary" busy={change.isPending} disabled={disabled}>
              {verb}
            </Button>
            <Button onClick={onClose}>Cancel</Button>
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
          void client.invalidateQueries()
          onClose()
        }}
        onKeepMine={(theirs) => save(theirs)}
      />
    </Dialog>
  )
}

/** Once, when it appears: a ref that is made anew would scroll at every key. */
const intoView = (box: HTMLElement | null) => box?.scrollIntoView({ block: "nearest" })

/** The API's words, in view; and what is wrong deep inside of a field, which no field shows. */
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
