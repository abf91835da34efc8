import { plainJson } from "./plain.ts"

/** The facts of an object before and after a change; null for one that did not exist. */
interface Facts {
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

interface Change {
  field: string
  before: string | undefined
  after: string | undefined
}

const SHOWN = 2
/** Fields that every edit changes, or that say nothing about one. They are listed last. */
const BOOKKEEPING = new Set(["test", "entry_id", "version", "created_at", "created_by", "updated_at", "updated_by"])

const wordsOf = (value: unknown): string | undefined =>
  value == null ? undefined : typeof value === "string" ? value : plainJson(value, 1)

/** The fields whose values differ before and after the change. */
function changesOf({ before, after }: Facts): Change[] {
  const fields = [...new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})])]
  fields.sort((a, b) => Number(BOOKKEEPING.has(a)) - Number(BOOKKEEPING.has(b)))
  return fields
    .map((field) => ({ field, before: wordsOf(before?.[field]), after: wordsOf(after?.[field]) }))
    .filter((change) => change.before !== change.after)
}

/** The first changes of an entry, for a cell of a table. */
export function ShownChanges({ of }: { of: Facts }) {
  const changes = changesOf(of)
  return (
    <span className="flex min-w-0 flex-col gap-1 max-sm:items-end max-sm:whitespace-normal">
      {changes.slice(0, SHOWN).map(({ field, before, after }) => (
        <span key={field} className="line-clamp-1 max-w-[420px] break-all max-sm:max-w-full">
          <span className="text-muted">{field}</span>{" "}
          {before !== undefined && (
            <>
              <del className="text-bad">{before}</del>{" "}
            </>
          )}
          {after !== undefined && <ins className="text-ok no-underline">{after}</ins>}
        </span>
      ))}
      {changes.length > SHOWN && <span className="text-muted text-xs">and {changes.length - SHOWN} more</span>}
    </span>
  )
}

/** Every changed field with its values before and after. */
export function AllChanges({ of }: { of: Facts }) {
  const changes = changesOf(of)
  return (
    <div className="flex flex-col gap-3">
      {changes.length === 0 && <p className="text-muted">No field changed.</p>}
      {changes.map(({ field, before, after }) => (
        <div key={field}>
          <h3>{field}</h3>
          <div className="grid gap-2 sm:grid-cols-2">
            <Side title="Before" text={before} look="bg-bad-soft text-bad" />
            <Side title="After" text={after} look="bg-ok-soft text-ok" />
          </div>
        </div>
      ))}
    </div>
  )
}

const Side = ({ title, text, look }: { title: string; text: string | undefined; look: string }) => (
  <div className={`min-w-0 rounded-md p-2 ${text === undefined ? "bg-panel text-muted" : look}`}>
    <div className="text-xs">{title}</div>
    <pre className="whitespace-pre-wrap break-all">{text ?? "–"}</pre>
  </div>
)
