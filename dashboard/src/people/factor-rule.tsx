import { useState } from "react"
import type { Members } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { titleOf } from "../sign-in/account-list.tsx"
import { Button } from "../ui/button.tsx"
import { ConfirmDialog } from "../ui/dialog.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Status } from "../ui/status.tsx"
import { toast } from "../ui/toast.tsx"

/** Whether the account requires a second factor of its members. */
export function FactorRule({ of: { members, second_factor_required: required } }: { of: Members }) {
  const [open, setOpen] = useState(false)
  return (
    <Section
      title="Second factor"
      action={
        <Button does="putMemberRules" onClick={() => setOpen(true)}>
          {required ? "Make it optional" : "Require a second factor"}
        </Button>
      }
    >
      <p className="flex max-w-[72ch] flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <Status word={required ? "required" : "optional"} tone={required ? "ok" : "none"} />
        {required
          ? "Members without a second factor cannot act for the account."
          : "Members may act for the account without a second factor."}
      </p>
      {open && <RuleDialog members={members} required={!required} onClose={() => setOpen(false)} />}
    </Section>
  )
}

interface RuleDialogProps {
  members: Members["members"]
  required: boolean
  onClose: () => void
}

function RuleDialog({ members, required, onClose }: RuleDialogProps) {
  const put = useChange("putMemberRules", { changes: ["listMembers"] })
  const without = members.filter(({ second_factor, is_self }) => !second_factor && !is_self).map(titleOf)
  const needsOwn = put.error?.code === "SECOND_FACTOR_NOT_SET_UP"
  const done = () => {
    toast(required ? "Members need a second factor now." : "Members need no second factor any more.")
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      safe
      title={required ? "Require a second factor of members?" : "Make the second factor optional?"}
      about={
        !required
          ? "Members can then act for the account with their password only."
          : without.length === 0
            ? "All members have one. Those who join later set up theirs first."
            : `These people cannot act for the account until they set up theirs: ${without.join(", ")}.`
      }
      verb={required ? "Require it" : "Make it optional"}
      busy={put.isPending}
      error={needsOwn ? null : put.error}
      onConfirm={() => put.mutate({ body: { second_factor: required } }, { onSuccess: done })}
    >
      {needsOwn && (
        <p role="alert">
          You have no second factor yourself. Set it up under <TextLink to="/account">Account</TextLink> first.
        </p>
      )}
    </ConfirmDialog>
  )
}
