import { useNavigate } from "@tanstack/react-router"
import type { Team } from "../api/operations.ts"
import { useChange } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Creates a team, or edits its name and description. */
export function TeamForm({ of, onClose }: { of?: Team; onClose: () => void }) {
  const navigate = useNavigate()
  const draft = useDraft(`team.${of?.team_id ?? "new"}`, { version: of?.version })
  const create = useChange("createTeam", { draft })
  const update = useChange("updateTeam", { draft })
  const change = of ? update : create
  const [name, setName] = draft.useField("name", of?.name ?? "")
  const [description, setDescription] = draft.useField("description", of?.description ?? "")
  const body = { name, description: description || null }
  const save = (ifMatch?: number) => {
    if (of)
      update.mutate(
        { path: { team_id: of.team_id }, body, ifMatch },
        {
          onSuccess: () => {
            toast(`${name} was saved.`)
            onClose()
          },
        },
      )
    else
      create.mutate(
        { body },
        {
          onSuccess: ({ team_id }) =>
            void navigate({ to: "/operator/teams/$teamId", params: { teamId: String(team_id) } }),
        },
      )
  }
  return (
    <EditDialog
      draft={draft}
      title={of ? `Edit the team ${of.name}` : "Create a team"}
      verb={of ? "Save" : "Create"}
      change={change}
      save={save}
      mine={body}
      version={of?.version}
      onClose={onClose}
      disabled={!name.trim()}
    >
      <TextInput
        label="Name"
        name="name"
        value={name}
        error={change.error}
        onChange={({ target }) => setName(target.value)}
      />
      <TextArea
        label="Description"
        name="description"
        rows={3}
        value={description}
        error={change.error}
        onChange={({ target }) => setDescription(target.value)}
      />
    </EditDialog>
  )
}
