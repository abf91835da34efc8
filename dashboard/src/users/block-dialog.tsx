import { useState } from "react"
import type { UserDetail } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { UpdateUserRules } from "../api/rules.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { nameOf } from "../operator/parts.tsx"
import { TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Disables an account, or enables it again, with the reason that the audit log records. */
export function BlockDialog({ of, onClose }: { of: UserDetail; onClose: () => void }) {
  const change = useChange("updateUser")
  const [reason, setReason] = useState("")
  const isBlocked = of.disabled_at !== null
  const disabled = !isBlocked
  const body = { disabled, reason: reason.trim() || undefined }
  const save = (ifMatch: number) =>
    change.mutate(
      { path: { user_id: of.user_id }, body, ifMatch },
      {
        onSuccess: () => {
          toast(`${nameOf(of)} is ${disabled ? "blocked" : "enabled"}.`)
          onClose()
        },
      },
    )
  return (
    <ConfirmEdit
      title={isBlocked ? `Enable ${nameOf(of)}?` : `Block ${nameOf(of)}?`}
      about={
        isBlocked
          ? "Keys work again, and so do the webhooks that were disabled with the account. The user signs in again."
          : "Now: all sessions end, queued and waiting turns are cancelled, and running turns stop at their next step. Keys and webhooks stop until the account is enabled. Balance, spaces and history stay."
      }
      verb={isBlocked ? "Enable" : "Block"}
      safe={isBlocked}
      change={change}
      save={save}
      mine={{ disabled }}
      version={of.version}
      onClose={onClose}
    >
      {disabled && of.only_owner_of.length > 0 && (
        <p role="alert">
          These accounts then have no owner who can sign in: {of.only_owner_of.map(nameOf).join(", ")}. Their members
          keep their roles.
        </p>
      )}
      <TextInput
        label="Reason"
        hint="For the audit log. The owner does not see it."
        maxLength={UpdateUserRules.reason.maxLength}
        value={reason}
        error={change.error}
        onChange={({ target }) => setReason(target.value)}
      />
    </ConfirmEdit>
  )
}
