import { type ReactNode, useId, useState } from "react"
import { createPortal } from "react-dom"

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
            className="pointer-events-none fixed z-50 max-w-[280px] -translate-x-1/2 rounded-md bg-text px-2 py-1 text-bg text-xs"
            style={{ left: Math.min(Math.max(box.x + box.width / 2, 96), innerWidth - 96), top: box.bottom + 4 }}
          >
            {text}
          </span>,
          document.body,
        )}
    </span>
  )
}
