import { ApiError } from "../api/api-error.ts"
import type { Manifest } from "../api/operations.ts"
import { ConflictDialog } from "../ui/conflict-dialog.tsx"

interface ManifestConflictProps {
  mine: Manifest
  theirs: Manifest
  onTakeTheirs: () => void
  onKeepMine: () => void
}

/** Two people have edited the instructions: the same choice as after a 412. */
export function ManifestConflict({ mine, theirs, onTakeTheirs, onKeepMine }: ManifestConflictProps) {
  const error = new ApiError({
    code: "VERSION_MISMATCH",
    message: "Somebody else has saved the instructions in the meantime.",
    status: 412,
    requestId: null,
    retryAfter: null,
    faults: [],
    details: { current: theirs },
  })
  // What only they have set is shown too.
  const both = { ...Object.fromEntries(Object.keys(theirs).map((name) => [name, undefined])), ...mine }
  return <ConflictDialog error={error} mine={both} onTakeTheirs={onTakeTheirs} onKeepMine={onKeepMine} />
}
