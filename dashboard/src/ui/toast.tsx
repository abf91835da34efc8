import { useSyncExternalStore } from "react"
import { Button, IconButton } from "./button.tsx"
import { Icon } from "./icon.tsx"

interface Message {
  id: number
  text: string
  bad: boolean
  /** Takes the act back. */
  undo?: (() => void) | undefined
}

const SHOWN_MS = 6000
const UNDO_MS = 12_000
let messages: Message[] = []
let count = 0
const listeners = new Set<() => void>()

function change(next: Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}

const dismiss = (id: number) => change(messages.filter((message) => message.id !== id))

/**
 * Shows a short message, with `bad` for a failure. `undo` does the exact opposite of the act. A message that needs any
 * other action belongs on the page instead.
 */
export function toast(text: string, { bad = false, undo }: { bad?: boolean; undo?: () => void } = {}): void {
  const id = ++count
  change([...messages, { id, text, bad, undo }].slice(-3))
  if (!bad) setTimeout(() => dismiss(id), undo ? UNDO_MS : SHOWN_MS)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function Toaster() {
  const shown = useSyncExternalStore(subscribe, () => messages)
  return (
    <div
      aria-live="polite"
      className="fixed right-3 bottom-3 z-40 flex w-[360px] max-w-[calc(100vw-24px)] flex-col gap-2"
    >
      {shown.map(({ id, text, bad, undo }) => (
        <div
          key={id}
          className="flex items-center gap-2 rounded-md border border-line bg-raised py-1 pr-1 pl-3 shadow-lg"
        >
          <span className={bad ? "text-bad" : "text-ok"}>
            <Icon name={bad ? "error" : "check"} />
          </span>
          <span className="min-w-0 grow break-words">{text}</span>
          {undo && (
            <Button
              kind="quiet"
              onClick={() => {
                dismiss(id)
                undo()
              }}
            >
              Undo
            </Button>
          )}
          <IconButton label="Dismiss" icon="close" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
