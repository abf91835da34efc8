import { useState } from "react"
import type { SpaceSharing } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog, Dialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { Form, TextInput } from "../ui/field.tsx"
import { Section } from "../ui/page.tsx"
import { plainNumber } from "../ui/plain.ts"
import { Read } from "../ui/read.tsx"
import { Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Money, Time } from "../ui/values.tsx"
import { type SpaceTabProps, useSpaceInput } from "./space-parts.ts"

/** Shows who shares the space and how much members may spend, and lets the owner stop the sharing. */
export function SharingTab(_: SpaceTabProps) {
  const sharing = useRead("getSharing", useSpaceInput())
  return <Read of={sharing}>{(data) => <SharingOf data={data} />}</Read>
}

function SharingOf({ data }: { data: SpaceSharing }) {
  const [open, setOpen] = useState<"limit" | "end" | null>(null)
  const isShared = data.workspace !== null || data.people_count > 0
  return (
    <>
      <Section
        title="Members' daily limit"
        action={
          <Button does="putMembersLimit" onClick={() => setOpen("limit")}>
            Change the limit
          </Button>
        }
      >
        <p className="max-w-[72ch] text-muted">
          Turns of members are charged to your balance. The limit applies to all members together, per UTC day.
        </p>
        <KeyValues
          entries={[
            [data.daily_usd === null ? "Limit (default)" : "Limit", <Money key="limit" usd={data.cap.limit_usd} />],
            ["Spent today", <Money key="spent" usd={data.cap.spent_usd} />],
            ["Held by open turns", <Money key="held" usd={data.cap.reserved_usd} />],
            ["Resets", <Time key="resets" at={data.cap.resets_at} />],
          ]}
        />
      </Section>
      <Section
        title="People"
        action={
          isShared && (
            <Button does="endSharing" kind="danger" onClick={() => setOpen("end")}>
              Stop sharing
            </Button>
          )
        }
      >
        <p className="max-w-[72ch] text-muted">
          {data.workspace
            ? `Members of the workspace ${data.workspace.name} can see and use the space. `
            : "The space does not belong to a workspace. "}
          Its admins can also use the space's secrets in tools.
        </p>
        <Table
          caption="People with whom the space is shared"
          rows={data.people}
          rowKey={({ user_id }) => String(user_id)}
          empty={<p className="text-muted">The space is not shared. An operator can share it.</p>}
          columns={[
            { title: "Person", cell: ({ name, user_id }) => name ?? `User ${user_id}` },
            { title: "Role", cell: ({ role }) => role },
          ]}
        />
        {data.people_count > data.people.length && (
          <p className="text-muted">
            {data.people.length} of {data.people_count} people are shown.
          </p>
        )}
      </Section>
      {open === "limit" && <LimitDialog data={data} onClose={() => setOpen(null)} />}
      {open === "end" && <EndDialog onClose={() => setOpen(null)} />}
    </>
  )
}

function LimitDialog({ data, onClose }: { data: SpaceSharing; onClose: () => void }) {
  const input = useSpaceInput()
  const draft = useDraft(`members-limit.${input.path.space_id}`)
  const put = useChange("putMembersLimit", { changes: ["getSharing"], draft })
  const [amount, setAmount] = draft.useField("amount", data.daily_usd === null ? "" : plainNumber(data.daily_usd))
  const daily_usd = amount.trim() === "" ? null : Number(amount)
  const done = () => {
    toast("The limit is saved.")
    onClose()
  }
  return (
    <Dialog draft={draft} open onClose={onClose} title="Members' daily limit">
      <Form
        label="Members' daily limit"
        onSubmit={() => put.mutate({ ...input, body: { daily_usd } }, { onSuccess: done })}
        actions={
          <>
            <Button kind="primary" type="submit" busy={put.isPending} disabled={Number.isNaN(daily_usd)}>
              Save
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Daily limit (USD)"
          hint="0: members cannot send turns. Empty: the service default."
          name="daily_usd"
          inputMode="decimal"
          autoComplete="off"
          error={put.error}
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
        />
        {put.error && <ErrorState error={put.error} />}
      </Form>
    </Dialog>
  )
}

function EndDialog({ onClose }: { onClose: () => void }) {
  const input = useSpaceInput()
  const end = useChange("endSharing")
  const done = () => {
    toast("The space is no longer shared.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Stop sharing the space?"
      about="The space leaves its workspace, and only you can see it. Open turns of members continue. Only an operator can share it again."
      verb="Stop sharing"
      busy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate(input, { onSuccess: done })}
    />
  )
}
