import { ApiError } from "../api/api-error.ts"
import { Button } from "./button.tsx"
import { AnswerDialog } from "./dialog.tsx"
import { plainJson } from "./plain.ts"

type Row = Record<string, unknown>

interface ConflictDialogProps {
  /** The error of the change; the dialog opens for a 412 only. */
  error: unknown
  /** What this person wanted to save: the fields of the body. */
  mine: object
  /** Goes on with what is saved now, and forgets the own changes. */
  onTakeTheirs: (current: Row) => void
  /** Saves the own version over the one that is there: call again with its `version` as `ifMatch`. */
  onKeepMine: (version: number) => void
}

const shown = (value: unknown) => (typeof value === "string" ? value : value === undefined ? "–" : plainJson(value))

/** Somebody else has saved in the meantime: both versions of what differs, and a choice. */
export function ConflictDialog({ error, mine, onTakeTheirs, onKeepMine }: ConflictDialogProps) {
  const isConflict = error instanceof ApiError && error.code === "VERSION_MISMATCH"
  const current = isConflict ? ((error.current ?? {}) as Row) : {}
  const different = Object.entries(mine).filter(([name, value]) => shown(value) !== shown(current[name]))
  return (
    <AnswerDialog
      wide
      open={isConflict}
      onClose={() => onTakeTheirs(current)}
      title="Somebody else has saved this in the meantime"
      about="Choose which version is kept. The other one is lost."
      actions={
        <>
          <Button onClick={() => onTakeTheirs(current)}>Take theirs</Button>
          <Button kind="danger" onClick={() => onKeepMine(Number(current.version))}>
            Save mine over it
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {different.length === 0 && <p>Both say the same.</p>}
        {different.map(([name, value]) => (
          <div key={name}>
            <h3>{name.replaceAll("_", " ")}</h3>
            <div className="grid gap-2 sm:grid-cols-2">
              <Version title="Yours" text={shown(value)} />
              <Version title="Theirs, saved" text={shown(current[name])} />
            </div>
          </div>
        ))}
      </div>
    </AnswerDialog>
  )
}

const Version = ({ title, text }: { title: string; text: string }) => (
  <div className="min-w-0 rounded-md border border-line bg-panel p-2">
    <div className="text-muted text-xs">{title}</div>
    <pre className="whitespace-pre-wrap break-words">{text}</pre>
  </div>
)
