import { useState } from "react"
import { Button } from "./button.tsx"
import type { Draft } from "./draft.ts"

/** Says that a form begins with input from earlier, which was not saved. */
export function RestoredNote({ draft }: { draft: Draft | undefined }) {
  const [isShown, setIsShown] = useState(draft?.restored ?? false)
  if (!isShown || !draft) return null
  const discard = () => {
    draft.reset()
    setIsShown(false)
  }
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 rounded-md bg-warn-soft py-1 pr-1 pl-3 text-warn">
      <span className="grow">This is what you typed earlier. It is not saved yet.</span>
      <Button onClick={discard}>Start again</Button>
    </div>
  )
}
