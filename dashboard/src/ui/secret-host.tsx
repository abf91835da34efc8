import { type ReactNode, useEffect, useSyncExternalStore } from "react"
import { Button } from "./button.tsx"
import { CodeBlock } from "./code-block.tsx"
import { TopDialog } from "./top-dialog.tsx"

interface OnceShown {
  /** The value, which cannot be shown again. */
  secret: string
  title: string
  about?: string
  /** What to do with it. */
  more?: ReactNode
}

/** Values that the user has not saved yet, oldest first. They are only in memory. */
let unsaved: readonly OnceShown[] = []
const listeners = new Set<() => void>()

function change(next: readonly OnceShown[]): void {
  unsaved = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Shows a value once, until the user says that it is saved. Other values wait. */
export function showOnce(value: OnceShown): void {
  // Two clicks get the same answer.
  if (!unsaved.some(({ secret }) => secret === value.secret)) change([...unsaved, value])
}

/** The values that are not saved. */
export const useUnsavedSecrets = () => useSyncExternalStore(subscribe, () => unsaved)

/**
 * Shows the values above the router. So no poll, route, event, sign-in or error can remove one. Only its button closes
 * it, and the browser asks before the page is reloaded.
 */
export function SecretHost() {
  const [first, ...later] = useUnsavedSecrets()
  const isOpen = first !== undefined
  useEffect(() => {
    if (!isOpen) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", ask)
    return () => removeEventListener("beforeunload", ask)
  }, [isOpen])
  if (!first) return null
  const { secret, title, more, about = "Store it where your server reads its secrets." } = first
  return (
    <TopDialog
      key={secret}
      role="alertdialog"
      wide
      title={title}
      about={`This value is shown only once. ${about}`}
      // Escape does nothing: the value could not be shown again.
      onCancel={() => {}}
    >
      <CodeBlock code={secret} label="The secret" />
      {more}
      <div className="flex flex-wrap items-center justify-end gap-2">
        {later.length > 0 && <span className="text-muted text-xs">{later.length} more to save</span>}
        <Button autoFocus kind="primary" onClick={() => change(unsaved.filter((one) => one !== first))}>
          I have saved it
        </Button>
      </div>
    </TopDialog>
  )
}
