import type { ReactNode } from "react"

/** A value with its label, for the row at the top of an overview. */
export function Stat({ label, children, hint }: { label: string; children: ReactNode; hint?: ReactNode }) {
  return (
    <div className="flex min-w-[140px] flex-col">
      <dt className="text-muted">{label}</dt>
      <dd className="text-lg">{children}</dd>
      {hint && <dd className="text-muted text-xs">{hint}</dd>}
    </div>
  )
}

export const Stats = ({ children }: { children: ReactNode }) => (
  <dl className="flex flex-wrap gap-x-10 gap-y-4">{children}</dl>
)

/** A list of names and values. Entries with the value undefined are omitted. */
export function KeyValues({ entries }: { entries: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-1 sm:grid-cols-[minmax(120px,200px)_minmax(0,1fr)]">
      {entries
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="pt-2 text-muted sm:border-line sm:border-b sm:pb-2">{name}</dt>
            <dd className="min-w-0 break-words border-line border-b pb-2 sm:pt-2">{value}</dd>
          </div>
        ))}
    </dl>
  )
}
