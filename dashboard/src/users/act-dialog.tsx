import { useState } from "react"
import type { UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { nameOf } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { Dialog, DismissButton } from "../ui/dialog.tsx"
import { ErrorState } from "../ui/error-state.tsx"
import { Form, TextInput } from "../ui/field.tsx"

/** Starts to act as a user, with the reason that the audit log records. */
export function ActDialog({ of, onClose }: { of: UserDetail; onClose: () => void }) {
  const act = useChange("actAsUser")
  const [reason, setReason] = useState("")
  const name = nameOf(of)
  const send = () =>
    act.mutate(
      { path: { user_id: of.user_id }, query: { reason: reason.trim() || undefined } },
      { onSuccess: () => window.location.assign("/home") },
    )
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Act as ${name}?`}
      about="For 30 minutes you see the account as its owner does, read-only. The audit log records this and each page with texts."
    >
      <Form
        label="Act as"
        onSubmit={send}
        actions={
          <>
            <Button kind="primary" type="submit" busy={act.isPending}>
              Act as
            </Button>
            <DismissButton />
          </>
        }
      >
        <TextInput
          label="Reason"
          hint="Such as a ticket number. A setting can require it."
          autoComplete="off"
          name="reason"
          value={reason}
          error={act.error}
          onChange={({ target }) => setReason(target.value)}
        />
        {act.error && <ErrorState error={act.error} />}
      </Form>
    </Dialog>
  )
}
