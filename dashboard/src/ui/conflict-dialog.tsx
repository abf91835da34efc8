import { ApiError } from "../api/api-error.ts"
import { wordsOf } from "../api/code-words.ts"
import { Button } from "./button.tsx"
import { AnswerDialog } from "./dialog.tsx"
import { isSameJson } from "./json-text.ts"
import { plainJson } from "./plain.ts"

type Row = Record<string, unknown>

interface ConflictDialogProps {
  /** The error of the change. The dialog opens only if it is VERSION_MISMATCH (412). */
  error: unknown
  /** The body that this user wanted to save. */
  mine: object
  /** Discards this user's changes and continues with the saved version. */
  onTakeTheirs: (current: Row) => void
  /** Overwrites the saved version: repeat the call with its `version` as `ifMatch`. */
  onKeepMine: (version: number) => void
}

const shown = (value: unknown) => (typeof value === "string" ? value : value === undefined ? "–" : plainJson(value))

/** Shows both versions of the fields that differ, after another user has saved, and lets this user choose one. */
export function ConflictDialog({ error, mine, onTakeTheirs, onKeepMine }: ConflictDialogProps) {
  const isConflict = error instanceof ApiError && error.code === "VERSION_MISMATCH"
  const current = isConflict ? ((error.current ?? {}) as Row) : {}
  const different = Object.entries(mine).filter(([name, value]) => !isSameJson(value, current[name]))
  return (
    <AnswerDialog
      wide
      open={isConflict}
      onClose={() => onTakeTheirs(current)}
      title="Another user has saved this in the meantime"
      about="Choose the version to keep. The other version is lost."
      actions={
        <>
          <Button onClick={() => onTakeTheirs(current)}>Use their version</Button>
          <Button kind="danger" onClick={() => onKeepMine(Number(current.version))}>
            Overwrite with my version
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {different.length === 0 && <p>The versions are identical.</p>}
        {different.map(([name, value]) => (
          <div key={name}>
            <h3>{wordsOf(name)}</h3>
            <div className="grid gap-2 sm:grid-cols-2">
              <Version title="Your version" text={shown(value)} />
              <Version title="Their saved version" text={shown(current[name])} />
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
