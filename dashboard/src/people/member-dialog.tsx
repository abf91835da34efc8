import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { ApiError } from "../api/api-error.ts"
import type { KnownKey, Member } from "../api/operations.ts"
import { send } from "../api/send.ts"
import { titleOf } from "../sign-in/account-list.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import type { Role } from "../ui/rights.ts"
import { toast } from "../ui/toast.tsx"
import { KeyDecisions, useKeyDecisions } from "./key-decisions.tsx"
import { RoleSelect } from "./role-select.tsx"
import { ROLE_LABELS } from "./role-words.ts"

interface MemberDialogProps {
  member: Member
  /** Removes the person, instead of changing the role. */
  removes: boolean
  onClose: () => void
}

/**
 * Changes the role of a person, or removes the person. The service first lists the keys that would be beyond the
 * person's rights, and changes nothing. The second request has the decisions.
 */
export function MemberDialog({ member, removes, onClose }: MemberDialogProps) {
  const [role, setRole] = useState<Role>(member.role)
  const [keys, setKeys] = useState<readonly KnownKey[] | null>(null)
  const decisions = useKeyDecisions()
  const client = useQueryClient()
  const title = titleOf(member)
  const change = useMutation<unknown, ApiError, void>({
    mutationFn: async () => {
      const path = { user_id: member.user_id }
      await decisions.carryOut(keys ?? [], member.user_id)
      const rest = keys && ({ keys: "revoke" } as const)
      return removes
        ? send("removeMember", { path, query: { ...rest } })
        : send("updateMember", { path, body: { role, ...rest } })
    },
    onError: (error) => {
      if (error.code === "MEMBER_HAS_KEYS") setKeys((error.details as { keys: KnownKey[] }).keys)
    },
    onSuccess: () => {
      toast(removes ? `${title} is removed.` : `${title} has the role ${ROLE_LABELS[role]}.`)
      onClose()
    },
    onSettled: () => client.invalidateQueries(),
  })
  const chooseRole = (next: Role) => {
    // Each role has its own keys that are beyond it.
    setKeys(null)
    change.reset()
    setRole(next)
  }
  const isQuestion = change.error?.code === "MEMBER_HAS_KEYS"
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      safe={!removes}
      title={removes ? `Remove ${title} from the account?` : `Change the role of ${title}`}
      about={
        removes
          ? "The person's next request for this account is refused. Webhooks, spaces and turns stay."
          : "It applies from the person's next request on."
      }
      verb={removes ? "Remove" : "Change role"}
      busy={change.isPending}
      error={isQuestion ? null : change.error}
      onConfirm={() => change.mutate()}
    >
      {!removes && <RoleSelect value={role} onChange={chooseRole} />}
      {keys && (
        <>
          <p role="alert">
            {title} knows{" "}
            {keys.length === 1 ? "a value of a key that works" : `values of ${keys.length} keys that work`}. Decide
            about {keys.length === 1 ? "it" : "each"}.
          </p>
          <KeyDecisions keys={keys} decisions={decisions} />
        </>
      )}
    </ConfirmDialog>
  )
}
