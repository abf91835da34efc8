import { useState } from "react"
import type { Workspace } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { AddWorkspaceMemberRules } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { nameOf } from "../operator/parts.tsx"
import { UserPicker } from "../operator/user-picker.tsx"
import { useDraft } from "../ui/draft.ts"
import { Select } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

interface Props {
  of: Workspace
  onClose: () => void
}

const done = (text: string, onClose: () => void) => ({
  onSuccess: () => {
    toast(text)
    onClose()
  },
})

type WorkspaceRole = Workspace["members"][number]["role"]

const ROLES_IN_WORKSPACE = choicesOf<WorkspaceRole>({ member: "member", admin: "admin", owner: "owner" })

export function AddMember({ of, onClose }: Props) {
  const draft = useDraft(`workspace-member.${of.workspace_id}`, { version: of.version })
  const change = useChange("addWorkspaceMember", { draft })
  const [userId, setUserId] = useState<number | null>(null)
  const [role, setRole] = draft.useField<WorkspaceRole>("role", AddWorkspaceMemberRules.role.default)
  const body = { user_id: userId ?? 0, role }
  return (
    <EditDialog
      draft={draft}
      title={`Add a member to ${of.name}`}
      verb="Add"
      change={change}
      save={(ifMatch) =>
        change.mutate(
          { path: { workspace_id: of.workspace_id }, body, ifMatch },
          done(`The member was added to ${of.name}.`, onClose),
        )
      }
      mine={{ members: [...of.members, body] }}
      version={of.version}
      onClose={onClose}
      disabled={userId === null}
    >
      <UserPicker value={userId} onChange={setUserId} without={of.members.map(({ user_id }) => user_id)} />
      <Select
        label="Role"
        hint="Owners and admins can change the spaces. Members can see and use them."
        value={role}
        options={ROLES_IN_WORKSPACE}
        onChange={({ target }) => setRole(target.value as typeof role)}
      />
    </EditDialog>
  )
}

export function RemoveWorkspaceMember({ of, userId, onClose }: Props & { userId: number }) {
  const change = useChange("removeWorkspaceMember")
  const member = of.members.find(({ user_id }) => user_id === userId)
  const name = nameOf(member ?? { user_id: userId })
  const byTeam = of.team_members.some(({ user_id }) => user_id === userId) && of.team?.archived === false
  return (
    <ConfirmEdit
      title={`Remove ${name} from ${of.name}?`}
      about={
        byTeam
          ? `${name} keeps access to its spaces as a member of the team ${of.team?.name}. Remove them from the team as well to end it.`
          : "The user loses access to its spaces."
      }
      verb="Remove"
      change={change}
      save={(ifMatch) =>
        change.mutate(
          { path: { workspace_id: of.workspace_id, user_id: userId }, ifMatch },
          done(byTeam ? `${name} was removed, and keeps access through the team.` : `${name} was removed.`, onClose),
        )
      }
      mine={{ members: of.members.filter(({ user_id }) => user_id !== userId) }}
      version={of.version}
      onClose={onClose}
    />
  )
}

export function ArchiveWorkspace({ of, onClose }: Props) {
  const change = useChange("updateWorkspace")
  const body = { archived: !of.archived }
  return (
    <ConfirmEdit
      safe={of.archived}
      title={of.archived ? `Restore the workspace ${of.name}?` : `Archive the workspace ${of.name}?`}
      about={
        of.archived
          ? "Its members can see and use its spaces again."
          : "Its members lose access to its spaces. You can restore the workspace later."
      }
      verb={of.archived ? "Restore" : "Archive"}
      change={change}
      save={(ifMatch) =>
        change.mutate(
          { path: { workspace_id: of.workspace_id }, body, ifMatch },
          done(`${of.name} was saved.`, onClose),
        )
      }
      mine={body}
      version={of.version}
      onClose={onClose}
    />
  )
}
