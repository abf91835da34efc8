import { useState } from "react"
import type { Member } from "../api/operations.ts"
import { leaveChosenAccount } from "../api/page-user.ts"
import { useChange } from "../api/query.ts"
import { titleOf } from "../sign-in/account-list.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { dropDrafts } from "../ui/draft.ts"
import { Select } from "../ui/field.tsx"
import type { Role } from "../ui/rights.ts"
import { toast } from "../ui/toast.tsx"
import { ROLE_ABOUT, ROLE_CHOICES } from "./role-words.ts"

/** Opens the choice of accounts, after the person has left the one of the page. */
function goAway(): void {
  dropDrafts()
  leaveChosenAccount()
  location.assign("/accounts")
}

/** Leaves the account of the page. */
export function LeaveDialog({ accountId, onClose }: { accountId: number; onClose: () => void }) {
  const leave = useChange("leaveAccount", { changes: [], onAnswer: goAway })
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Leave this account?"
      about="Your next request for it is refused. Its owners decide about the keys that you made. Only an invitation brings you back."
      verb="Leave"
      busy={leave.isPending}
      error={leave.error}
      onConfirm={() => leave.mutate({ path: { user_id: accountId } })}
    />
  )
}

type Later = Exclude<Role, "owner"> | "none"

const AFTERWARDS = [
  ...ROLE_CHOICES.filter(([role]) => role !== "owner"),
  ["none", "None: you leave the account"],
] as const

/** Makes another person the owner in the caller's place. */
export function TransferDialog({ others, onClose }: { others: readonly Member[]; onClose: () => void }) {
  const [to, setTo] = useState(others[0])
  const [role, setRole] = useState<Later>("developer")
  const transfer = useChange("transferAccount", {
    changes: role === "none" ? [] : undefined,
    onAnswer: ({ keys_to_decide: keys }) => {
      if (role === "none") return goAway()
      toast(
        keys.length > 0
          ? `The account is handed over. Its owners decide about ${keys.length} of your keys.`
          : "The account is handed over.",
      )
      onClose()
    },
  })
  if (!to) return null
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Hand the account over?"
      about="The person becomes an owner, and you stop being one. Only the new owner can give the account back to you."
      verb="Hand over"
      typed={titleOf(to)}
      busy={transfer.isPending}
      error={transfer.error}
      onConfirm={() => transfer.mutate({ body: { user_id: to.user_id, role: role === "none" ? null : role } })}
    >
      <Select
        label="New owner"
        value={to.user_id}
        options={others.map((one) => [String(one.user_id), titleOf(one)] as const)}
        onChange={({ target }) => setTo(others.find(({ user_id }) => String(user_id) === target.value))}
      />
      <Select
        label="Your role afterwards"
        hint={role === "none" ? undefined : ROLE_ABOUT[role]}
        value={role}
        options={AFTERWARDS}
        onChange={({ target }) => setRole(target.value as Later)}
      />
    </ConfirmDialog>
  )
}
