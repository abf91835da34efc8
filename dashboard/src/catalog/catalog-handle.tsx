import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from "react"

interface HandleProps {
  label: string
  place: number
  of: number
  onMove: (to: number) => void
}

/** The index of the table row at a point of the screen; -1 if no row is there. */
function rowAt(x: number, y: number): number {
  const row = document.elementFromPoint(x, y)?.closest("tbody tr")
  return row?.parentElement ? [...row.parentElement.children].indexOf(row) : -1
}

/** A handle that moves its row by dragging, or with the arrow keys, Home and End. */
export function CatalogHandle({ label, place, of, onMove }: HandleProps) {
  const latest = useRef({ place, onMove })
  latest.current = { place, onMove }
  const stop = useRef<() => void>(() => {})
  useEffect(() => () => stop.current(), [])
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    const drag = ({ clientX, clientY }: globalThis.PointerEvent) => {
      const to = rowAt(clientX, clientY)
      if (to >= 0 && to !== latest.current.place) latest.current.onMove(to)
    }
    stop.current = () => {
      removeEventListener("pointermove", drag)
      removeEventListener("pointerup", stop.current)
      removeEventListener("pointercancel", stop.current)
    }
    addEventListener("pointermove", drag)
    addEventListener("pointerup", stop.current)
    addEventListener("pointercancel", stop.current)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: of - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    if (to >= 0 && to < of) onMove(to)
  }
  return (
    <button
      type="button"
      aria-label={`Move ${label}, place ${place + 1} of ${of}`}
      title="Drag, or use the arrow keys"
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      className="inline-flex h-8 w-6 touch-none select-none items-center justify-center rounded-md text-muted -outline-offset-2 hover:bg-hover hover:text-text"
    >
      <svg aria-hidden="true" viewBox="0 0 8 14" width="8" height="14" fill="currentColor">
        <path d="M1 2h2v2H1zM5 2h2v2H5zM1 6h2v2H1zM5 6h2v2H5zM1 10h2v2H1zM5 10h2v2H5z" />
      </svg>
    </button>
  )
}
