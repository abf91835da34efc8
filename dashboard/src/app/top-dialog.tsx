import { type ReactNode, useEffect, useId, useRef } from "react"
import { createPortal } from "react-dom"

interface TopDialogProps {
  title: string
  about: ReactNode
  /** Escape. */
  onCancel: () => void
  children: ReactNode
}

/** A dialog above everything else, also above an open dialog of the page. */
export function TopDialog({ title, about, onCancel, children }: TopDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    // The dialog would focus its first control, instead of the one with autoFocus.
    const focused = dialog.current?.contains(document.activeElement) ? document.activeElement : null
    dialog.current?.showModal()
    if (focused instanceof HTMLElement) focused.focus()
  }, [])
  // At the end of the body, because an open dialog of the page hides everything else there.
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={id}
      aria-describedby={`${id}-about`}
      onCancel={(event) => {
        event.preventDefault()
        onCancel()
      }}
      className="m-auto w-[420px] max-w-[calc(100vw-24px)] flex-col gap-4 rounded-md border border-line bg-raised p-5 text-text shadow-xl backdrop:bg-[rgb(0_0_0/0.4)] open:flex"
    >
      <div>
        <h2 id={id} className="text-md">
          {title}
        </h2>
        <p id={`${id}-about`} className="text-muted">
          {about}
        </p>
      </div>
      {children}
    </dialog>,
    document.body,
  )
}
