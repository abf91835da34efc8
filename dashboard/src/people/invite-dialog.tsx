import { useChange } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { AnswerDialog, DismissButton } from "../ui/dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { ErrorState } from "../ui/error-state.tsx"
import { exactUtc } from "../ui/exact-time.ts"
import { TextInput } from "../ui/field.tsx"
import type { Role } from "../ui/rights.ts"
import { showOnce } from "../ui/secret-host.tsx"
import { RoleSelect } from "./role-select.tsx"
import { ROLE_LABELS } from "./role-words.ts"

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const draft = useDraft("invitation")
  const [email, setEmail] = draft.useField("email", "")
  const [role, setRole] = draft.useField<Role>("role", "developer")
  const invite = useChange("inviteMember", {
    changes: ["listMembers"],
    draft,
    onAnswer: ({ url, email, role, emailed, expires_at }) =>
      showOnce({
        secret: url,
        title: `Invitation for ${email}`,
        about: `${emailed ? "It was also sent by email." : "Send the link to the person yourself."} Only ${email} can accept it, with the role ${ROLE_LABELS[role]}, until ${exactUtc(expires_at)}.`,
      }),
  })
  return (
    <AnswerDialog
      open
      draft={draft}
      onClose={onClose}
      onSubmit={() => invite.mutate({ body: { email: email.trim(), role } }, { onSuccess: onClose })}
      title="Invite a person"
      about="The person signs in with their own email and password. Each invitation works once."
      actions={
        <>
          <DismissButton />
          <Button type="submit" kind="primary" busy={invite.isPending} disabled={email.trim() === ""}>
            Invite
          </Button>
        </>
      }
    >
      <TextInput
        label="Email"
        name="email"
        type="email"
        autoComplete="off"
        value={email}
        error={invite.error}
        onChange={({ target }) => setEmail(target.value)}
      />
      <RoleSelect value={role} onChange={setRole} error={invite.error} />
      {invite.error && invite.error.faults.length === 0 && <ErrorState error={invite.error} />}
    </AnswerDialog>
  )
}
