import { useBlocker } from "@tanstack/react-router"
import { Button } from "../ui/button.tsx"
import { hasUnsaved } from "../ui/draft.ts"
import { TopDialog } from "../ui/top-dialog.tsx"

/** Asks before the user leaves a page with unsaved input. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && hasUnsaved({ leaving: true }),
    enableBeforeUnload: () => hasUnsaved(),
    withResolver: true,
  })
  if (status !== "blocked") return null
  return (
    <TopDialog
      title="Leave without saving?"
      about="What you typed stays in this tab. You find it here when you come back."
      onCancel={() => reset()}
    >
      <div className="flex justify-end gap-2">
        <Button autoFocus onClick={() => reset()}>
          Stay
        </Button>
        <Button kind="primary" onClick={() => proceed()}>
          Leave
        </Button>
      </div>
    </TopDialog>
  )
}
