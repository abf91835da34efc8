import { useState } from "react"
import type { PutRetention, Retention } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { PutRetentionRules } from "../api/rules.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { counted } from "../ui/numbers.ts"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { isChangeable, type SpaceTabProps, useSpaceInput } from "./space-parts.ts"

type Kind = keyof PutRetention

const KINDS: [Kind, string][] = [
  ["text_days", "Texts: request, reply and metadata"],
  ["step_days", "Steps and log"],
  ["event_days", "Events with their deliveries"],
  ["attempt_days", "Attempts of deliveries"],
]

/** Shows how long the data of the space's turns is kept, and lets its owner choose shorter times. */
export function RetentionTab({ space }: SpaceTabProps) {
  const retention = useRead("getRetention", useSpaceInput())
  const [isOpen, setOpen] = useState(false)
  return (
    <Read of={retention}>
      {(data) => (
        <Section
          title="Data retention"
          action={
            isChangeable(space) && (
              <Button does="putRetention" onClick={() => setOpen(true)}>
                Change the times
              </Button>
            )
          }
        >
          <p className="max-w-[72ch] text-muted">
            The days count from the end of a turn. Bills, token counts, states and times of turns are always kept, and
            files until you delete them.
          </p>
          <Table
            caption="How long data is kept"
            rows={KINDS}
            rowKey={([kind]) => kind}
            columns={[
              { title: "Data", cell: ([, label]) => label },
              { title: "Kept for", right: true, cell: ([kind]) => daysOf(data.kept[kind]) },
              { title: "This space", right: true, cell: ([kind]) => daysOf(data.own[kind]) },
              { title: "Service", right: true, cell: ([kind]) => daysOf(data.service[kind]) },
            ]}
          />
          {isOpen && <RetentionDialog data={data} onClose={() => setOpen(false)} />}
        </Section>
      )}
    </Read>
  )
}

const daysOf = (days: number | undefined) => (days === undefined ? "–" : counted(days, "day"))

function RetentionDialog({ data, onClose }: { data: Retention; onClose: () => void }) {
  const input = useSpaceInput()
  const draft = useDraft(`retention.${input.path.space_id}`)
  const put = useChange("putRetention", { changes: ["getRetention"], draft })
  const [typed, setTyped] = draft.useField("days", textsOf(data.own))
  const days = Object.fromEntries(
    Object.entries(typed).flatMap(([kind, text]) => (text.trim() === "" ? [] : [[kind, Number(text)]])),
  ) as PutRetention
  const done = () => {
    toast("The times are saved.")
    onClose()
  }
  return (
    <Dialog draft={draft} open onClose={onClose} title="Data retention">
      <Form
        label="Data retention"
        onSubmit={() => put.mutate({ ...input, body: days }, { onSuccess: done })}
        actions={
          <>
            <Button
              kind="primary"
              type="submit"
              busy={put.isPending}
              disabled={KINDS.some(([kind]) => !isAllowed(kind, days[kind]))}
            >
              Save
            </Button>
            <DismissButton />
          </>
        }
      >
        <p className="text-muted">
          Older data is deleted within an hour and cannot be restored. A turn without texts is no part of its
          conversation any more.
        </p>
        {KINDS.map(([kind, label]) => (
          <TextInput
            key={kind}
            label={`${label} (days)`}
            hint={`Empty: ${daysOf(data.service[kind])}, as in the whole service.`}
            name={kind}
            inputMode="numeric"
            autoComplete="off"
            error={put.error}
            value={typed[kind] ?? ""}
            onChange={({ target }) => setTyped({ ...typed, [kind]: target.value })}
          />
        ))}
        {put.error && <ErrorState error={put.error} />}
      </Form>
    </Dialog>
  )
}

const textsOf = (own: PutRetention): Partial<Record<Kind, string>> =>
  Object.fromEntries(Object.entries(own).map(([kind, days]) => [kind, String(days)]))

function isAllowed(kind: Kind, days: number | undefined): boolean {
  const { minimum, maximum } = PutRetentionRules[kind]
  return days === undefined || (Number.isInteger(days) && days >= minimum && days <= maximum)
}
