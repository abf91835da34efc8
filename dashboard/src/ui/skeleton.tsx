import { useOnline } from "./online.ts"

/** A placeholder as tall as the rows that load, so that the layout does not shift when they appear. */
export function Skeleton({ rows = 5 }: { rows?: number }) {
  const isOnline = useOnline()
  return (
    <div role="status" aria-label={isOnline ? "Loading" : "Waiting for the connection"} className="flex flex-col">
      {!isOnline && <p className="flex h-9 items-center text-muted">This is loaded when you are connected again.</p>}
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <div key={row} className="flex h-9 items-center border-line border-b">
          <div
            className="h-3 w-full motion-safe:animate-pulse rounded-md bg-hover"
            style={{ maxWidth: `${[60, 80, 45][row % 3]}%` }}
          />
        </div>
      ))}
    </div>
  )
}
