import { type ReactNode, useId, useState } from "react"
import { createPortal } from "react-dom"

/** A text of at most this length needs no more than 184 px. */
const SHORT = 28

/** A short text next to the hovered or focused element. The page must be usable without it. */
export function Tooltip({
  text,
  children,
  focusable = true,
}: {
  text: string
  children: ReactNode
  focusable?: boolean
}) {
  const id = useId()
  const [box, setBox] = useState<DOMRect | null>(null)
  const show = ({ currentTarget }: { currentTarget: Element }) => setBox(currentTarget.getBoundingClientRect())
  const hide = () => setBox(null)
  // Half the width that the text may need, so that it stays in the window.
  const half = text.length > SHORT ? 148 : 96
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only shows its description
    <span
      tabIndex={focusable ? 0 : undefined}
      aria-describedby={box ? id : undefined}
      onMouseEnter={show}
      onMouseLeave={hide}
      onFocus={show}
      onBlur={hide}
      onKeyDown={({ key }) => key === "Escape" && hide()}
      className="rounded-sm"
    >
      {children}
      {box &&
        createPortal(
          <span
            id={id}
            role="tooltip"
            className="pointer-events-none fixed z-50 w-max max-w-[280px] -translate-x-1/2 rounded-md bg-text px-2 py-1 text-bg text-xs"
            style={{ left: Math.min(Math.max(box.x + box.width / 2, half), innerWidth - half), top: box.bottom + 4 }}
          >
            {text}
          </span>,
          document.body,
        )}
    </span>
  )
}
