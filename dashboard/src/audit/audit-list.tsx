import type { UseQueryResult } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Answer } from "../api/call.ts"
import type { AuditEntry } from "../api/operations.ts"
import { List } from "../operator/list.tsx"
import { PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { plainJson } from "../ui/plain.ts"
import type { Column } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"

interface Change {
  field: string
  before: string | undefined
  after: string | undefined
}

const SHOWN = 2
/** Fields that every edit changes. They are listed last. */
const BOOKKEEPING = new Set(["version", "created_at", "created_by", "updated_at", "updated_by"])

const wordsOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === "string" ? value : plainJson(value, 1)

/** The fields whose values differ before and after the change. */
export function changesOf({ before, after }: Pick<AuditEntry, "before" | "after">): Change[] {
  const fields = [...new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})])]
  fields.sort((a, b) => Number(BOOKKEEPING.has(a)) - Number(BOOKKEEPING.has(b)))
  return fields
    .map((field) => ({ field, before: wordsOf(before?.[field]), after: wordsOf(after?.[field]) }))
    .filter((change) => change.before !== change.after)
}

/** Entries of the audit log. The entry named in the URL opens in a dialog with all changed fields. */
export function AuditList({ of, empty }: { of: UseQueryResult<Answer<"listAudit">, Error>; empty: ReactNode }) {
  const navigate = useNavigate()
  const { entry: opened } = useSearch({ strict: false }) as { entry?: number }
  const open = (entry: number | undefined) =>
    void navigate({ to: ".", search: ((old: object) => ({ ...old, entry })) as never, resetScroll: false })
  const entry = of.data?.items.find(({ audit_id }) => audit_id === opened)
  return (
    <>
      <List
        caption="Entries of the audit log"
        of={of}
        columns={columnsOf(open)}
        rowKey={({ audit_id }) => audit_id}
        empty={empty}
      />
      {entry && <Entry of={entry} onClose={() => open(undefined)} />}
    </>
  )
}

const columnsOf = (open: (entry: number) => void): Column<AuditEntry>[] => [
  { title: "When", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Actor", cell: (entry) => <Actor of={entry} /> },
  { title: "Action", cell: ({ action }) => <code>{action}</code> },
  { title: "Subject", cell: (entry) => <Subject of={entry} /> },
  {
    title: "Change",
    cell: (entry) => {
      const changes = changesOf(entry)
      return (
        <span className="flex flex-col gap-1 max-sm:items-end">
          {changes.slice(0, SHOWN).map(({ field, before, after }) => (
            <span key={field} className="line-clamp-1 max-w-[420px] break-all">
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
    },
  },
  {
    title: "Actions",
    actions: true,
    cell: ({ audit_id, action }) => (
      <Button kind="quiet" aria-label={`Show entry ${audit_id}, ${action}`} onClick={() => open(audit_id)}>
        Show
      </Button>
    ),
  },
]

function Actor({ of }: { of: AuditEntry }) {
  if (of.actor_user_id === null) return <span className="text-muted">command line</span>
  return <PersonName of={{ user_id: of.actor_user_id, name: of.actor_name }} />
}

function Subject({ of: { subject_type, subject_id } }: { of: AuditEntry }) {
  const known = SUBJECTS[subject_type]
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <span className="text-muted">{subject_type.replaceAll("_", " ")}</span>
      <Id id={subject_id} href={known && `${known}${encodeURIComponent(subject_id)}`} />
    </span>
  )
}

/** Path prefixes of the subject types that have a page. */
const SUBJECTS: Record<string, string> = {
  user: "/operator/users/",
  space: "/operator/spaces/",
  team: "/operator/teams/",
  workspace: "/operator/workspaces/",
}

function Entry({ of, onClose }: { of: AuditEntry; onClose: () => void }) {
  const changes = changesOf(of)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`${of.action} · ${of.subject_id}`}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <KeyValues
        entries={[
          ["Entry", <code key="id">{of.audit_id}</code>],
          ["When", <Time key="at" at={of.created_at} exact />],
          ["Actor", <Actor key="who" of={of} />],
          ["IP address", of.address ?? "–"],
          ["Request", of.request_id ? <Id key="request" id={of.request_id} full /> : "–"],
        ]}
      />
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
    </Dialog>
  )
}

const Side = ({ title, text, look }: { title: string; text: string | undefined; look: string }) => (
  <div className={`min-w-0 rounded-md p-2 ${text === undefined ? "bg-panel text-muted" : look}`}>
    <div className="text-xs">{title}</div>
    <pre className="whitespace-pre-wrap break-all">{text ?? "–"}</pre>
  </div>
)
