import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { actionWords } from "../api/action-words.ts"
import type { Answer } from "../api/call.ts"
import { wordsOf } from "../api/code-words.ts"
import type { AuditEntry } from "../api/operations.ts"
import { List } from "../operator/list.tsx"
import { PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { AllChanges, ShownChanges } from "../ui/changes.tsx"
import { Dialog } from "../ui/dialog.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { useOpenedEntry } from "../ui/opened-entry.ts"
import type { Column } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"

/** Entries of the audit log. The entry named in the URL opens in a dialog with all changed fields. */
export function AuditList({ of, empty }: { of: UseQueryResult<Answer<"listAudit">, Error>; empty: ReactNode }) {
  const [opened, open] = useOpenedEntry()
  const entry = of.data?.items.find(({ audit_id }) => audit_id === opened)
  return (
    <>
      <List
        caption="Entries of the audit log"
        list="audit"
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
  { title: "Action", cell: ({ action }) => <span title={action}>{actionWords(action)}</span> },
  { title: "Subject", cell: (entry) => <Subject of={entry} /> },
  {
    title: "Change",
    cell: (entry) => <ShownChanges of={entry} />,
  },
  {
    title: "Actions",
    actions: true,
    cell: ({ audit_id, action }) => (
      <Button kind="quiet" aria-label={`Show entry ${audit_id}, ${actionWords(action)}`} onClick={() => open(audit_id)}>
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
      <span className="text-muted">{wordsOf(subject_type)}</span>
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
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`${actionWords(of.action)} · ${of.subject_id}`}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <KeyValues
        entries={[
          ["Entry", <code key="id">{of.audit_id}</code>],
          ["When", <Time key="at" at={of.created_at} exact />],
          ["Actor", <Actor key="who" of={of} />],
          ["Action", <code key="action">{of.action}</code>],
          ["IP address", of.address ?? "–"],
          ["Request", of.request_id ? <Id key="request" id={of.request_id} full /> : "–"],
        ]}
      />
      <AllChanges of={of} />
    </Dialog>
  )
}
