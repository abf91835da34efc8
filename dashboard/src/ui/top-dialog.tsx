import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import { createPortal } from "react-dom"

interface TopDialogProps {
  title: string
  about: ReactNode
  /** Escape. */
  onCancel: () => void
  children: ReactNode
  role?: "alertdialog"
  wide?: boolean
}

/** A dialog above everything else, also above an open dialog of the page. */
export function TopDialog({ title, about, onCancel, children, role, wide = false }: TopDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // The children are rendered in the open dialog, because autoFocus has no effect in a closed one.
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    dialog.current?.showModal()
    setIsOpen(true)
  }, [])
  // At the end of the body, because an open dialog of the page hides everything else there.
  return createPortal(
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={id}
      aria-describedby={`${id}-about`}
      onCancel={(event) => {
        event.preventDefault()
        onCancel()
      }}
      // A browser closes it at a second Escape, whatever the first one did.
      onClose={() => dialog.current?.showModal()}
      className={`m-auto ${wide ? "w-[520px]" : "w-[420px]"} max-w-[calc(100vw-24px)] flex-col gap-4 rounded-md border border-line bg-raised p-5 text-text shadow-xl backdrop:bg-[rgb(0_0_0/0.4)] open:flex`}
    >
      <div>
        <h2 id={id} className="text-md">
          {title}
        </h2>
        <p id={`${id}-about`} className="text-muted">
          {about}
        </p>
      </div>
      {isOpen && children}
    </dialog>,
    document.body,
  )
}
