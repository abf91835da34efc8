import { useState } from "react"
import type { Draft } from "./draft.ts"

/** Says that a form begins with input from earlier, which was not saved. */
export function RestoredNote({ draft }: { draft: Draft | undefined }) {
  const [shown] = useState(() => draft?.restored)
  if (!shown) return null
  return (
    <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      This is what you typed earlier. It is not saved yet.
    </p>
  )
}
