import { useState } from "react"
import type { Team, TeamUpdate } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { TeamUpdateRules } from "../api/rules.ts"
import { choicesOf } from "../api/words.ts"
import { ConfirmEdit } from "../operator/confirm-edit.tsx"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { nameOf } from "../operator/parts.tsx"
import { UserPicker } from "../operator/user-picker.tsx"
import { useDraft } from "../ui/draft.ts"
import { Select } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

type TeamRole = Team["members"][number]["role"]

const ROLES_IN_TEAM = choicesOf<TeamRole>({ member: "member", lead: "lead" })

const membersOf = ({ members }: Team) => members.map(({ user_id, role }) => ({ user_id, role }))

export function AddTeamMember({ of, onClose }: { of: Team; onClose: () => void }) {
  const draft = useDraft(`team-member.${of.team_id}`, { version: of.version })
  const change = useChange("updateTeam", { draft })
  const [userId, setUserId] = useState<number | null>(null)
  const [role, setRole] = draft.useField<TeamRole>("role", TeamUpdateRules["members[].role"].default)
  const body = { members: [...membersOf(of), { user_id: userId ?? 0, role }] }
  const save = (ifMatch?: number) =>
    change.mutate(
      { path: { team_id: of.team_id }, body, ifMatch },
      {
        onSuccess: () => {
          toast(`The member was added to ${of.name}.`)
          onClose()
        },
      },
    )
  return (
    <EditDialog
      draft={draft}
      title={`Add a member to ${of.name}`}
      verb="Add"
      change={change}
      save={save}
      mine={body}
      version={of.version}
      onClose={onClose}
      disabled={userId === null}
    >
      <UserPicker value={userId} onChange={setUserId} without={of.members.map(({ user_id }) => user_id)} />
      <Select
        label="Role"
        value={role}
        options={ROLES_IN_TEAM}
        onChange={({ target }) => setRole(target.value as typeof role)}
      />
    </EditDialog>
  )
}

type Wanted = { what: "archive" } | { what: "remove" | "role"; userId: number }

interface Question {
  title: string
  about: string
  verb: string
  body: TeamUpdate
  safe?: boolean
}

function questionOf(of: Team, wanted: Wanted): Question {
  if (wanted.what === "archive")
    return of.archived
      ? {
          title: `Restore the team ${of.name}?`,
          about: "Its members get access to its workspaces again.",
          verb: "Restore",
          body: { archived: false },
          safe: true,
        }
      : {
          title: `Archive the team ${of.name}?`,
          about: "Its members lose access to the workspaces of the team. You can restore the team later.",
          verb: "Archive",
          body: { archived: true },
        }
  const member = of.members.find(({ user_id }) => user_id === wanted.userId)
  const name = nameOf(member ?? { user_id: wanted.userId })
  if (wanted.what === "remove")
    return {
      title: `Remove ${name} from ${of.name}?`,
      about: "The user loses access to workspaces that they can use only through this team.",
      verb: "Remove",
      body: { members: membersOf(of).filter(({ user_id }) => user_id !== wanted.userId) },
    }
  const role = member?.role === "lead" ? "member" : "lead"
  return {
    title: `Make ${name} a ${role} of ${of.name}?`,
    about: "The date on which they joined does not change.",
    verb: `Make ${role}`,
    body: { members: membersOf(of).map((one) => (one.user_id === wanted.userId ? { ...one, role } : one)) },
    safe: true,
  }
}

/** Asks for confirmation, then changes the team. */
export function TeamChange({ of, change: wanted, onClose }: { of: Team; change: Wanted; onClose: () => void }) {
  const change = useChange("updateTeam")
  const { body, ...question } = questionOf(of, wanted)
  const save = (ifMatch: number) =>
    change.mutate(
      { path: { team_id: of.team_id }, body, ifMatch },
      {
        onSuccess: () => {
          toast(`${of.name} was saved.`)
          onClose()
        },
      },
    )
  return <ConfirmEdit {...question} change={change} save={save} mine={body} version={of.version} onClose={onClose} />
}
