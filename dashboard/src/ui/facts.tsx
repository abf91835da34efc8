import type { ReactNode } from "react"

interface StatProps {
  label: string
  children: ReactNode
  hint?: ReactNode
  /** One of the few figures for which the page is opened. */
  lead?: boolean
}

/** A value with its label, for the row at the top of an overview. */
export function Stat({ label, children, hint, lead }: StatProps) {
  return (
    <div className="flex min-w-[140px] flex-col">
      <dt className="text-muted">{label}</dt>
      <dd className={lead ? "text-xl" : "text-lg"}>{children}</dd>
      {hint && <dd className="text-muted text-xs">{hint}</dd>}
    </div>
  )
}

export const Stats = ({ children }: { children: ReactNode }) => (
  <dl className="flex flex-wrap gap-x-10 gap-y-4">{children}</dl>
)

interface KeyValuesProps {
  entries: [name: string, value: ReactNode][]
  /** The list is in the rail of `Railed`: on wide screens, each value is below its name. */
  rail?: boolean
}

/** A list of names and values. Entries with the value undefined are omitted. */
export function KeyValues({ entries, rail }: KeyValuesProps) {
  return (
    <dl
      className={`grid grid-cols-1 sm:grid-cols-[minmax(120px,200px)_minmax(0,1fr)] ${rail ? "rail:grid-cols-[minmax(0,1fr)]" : ""}`}
    >
      {entries
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt
              className={`pt-2 text-muted sm:border-line sm:border-b sm:pb-2 ${rail ? "rail:border-b-0 rail:pb-0 rail:text-xs" : ""}`}
            >
              {name}
            </dt>
            <dd className={`min-w-0 break-words border-line border-b pb-2 sm:pt-2 ${rail ? "rail:pt-0" : ""}`}>
              {value}
            </dd>
          </div>
        ))}
    </dl>
  )
}

interface RailedProps {
  /** Above the content on small screens, and at the top of the rail on wide ones. */
  acts: ReactNode
  /** Below the content on small screens, and below the acts on wide ones. */
  facts: ReactNode
  children: ReactNode
}

/** The page of an object with a rail on the right, from 1100 px on (68.75rem). */
export const Railed = ({ acts, facts, children }: RailedProps) => (
  <div className="grid gap-x-8 gap-y-5 rail:grid-cols-[minmax(0,1fr)_264px] rail:grid-rows-[auto_1fr]">
    <div className="min-w-0 empty:hidden rail:col-start-2 rail:row-start-1">{acts}</div>
    <div className="flex min-w-0 flex-col gap-5 rail:col-start-1 rail:row-span-2 rail:row-start-1">{children}</div>
    <div className="min-w-0 rail:col-start-2 rail:row-start-2">{facts}</div>
  </div>
)
