import { useState } from "react"
import type { Invitation } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Section } from "../ui/page.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { toast } from "../ui/toast.tsx"
import { Time } from "../ui/values.tsx"
import { ROLE_LABELS } from "./role-words.ts"

/** The invitations that can still be accepted. */
export function OpenInvitations({ invitations }: { invitations: readonly Invitation[] }) {
  const [doomed, setDoomed] = useState<Invitation | null>(null)
  const columns: Column<Invitation>[] = [
    { title: "Email", cell: ({ email }) => email },
    { title: "Role", cell: ({ role }) => ROLE_LABELS[role] },
    { title: "Invited by", cell: ({ invited_by }) => invited_by ?? "–" },
    { title: "Expires", right: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: "Actions",
      actions: true,
      cell: (invitation) => (
        <Button
          kind="quiet"
          does="revokeInvitation"
          aria-label={`Revoke the invitation of ${invitation.email}`}
          onClick={() => setDoomed(invitation)}
        >
          Revoke
        </Button>
      ),
    },
  ]
  return (
    <Section title="Open invitations">
      <Table
        caption="Open invitations"
        rows={invitations}
        rowKey={({ invitation_id }) => invitation_id}
        columns={columns}
        empty={
          <EmptyState title="No open invitations">
            An invitation is a link for one person, with a role. It works once, and only for a while.
          </EmptyState>
        }
      />
      {doomed && <RevokeDialog invitation={doomed} onClose={() => setDoomed(null)} />}
    </Section>
  )
}

function RevokeDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const revoke = useChange("revokeInvitation", { changes: ["listMembers"] })
  const { invitation_id, email } = invitation
  const done = () => {
    toast(`The invitation of ${email} is revoked.`)
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke the invitation of ${email}?`}
      about="Its link opens nothing from now on. You can invite the person again."
      verb="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate({ path: { invitation_id } }, { onSuccess: done })}
    />
  )
}
