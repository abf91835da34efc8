import { useNavigate } from "@tanstack/react-router"
import type { Workspace } from "../api/operations.ts"
import { useChange, useRead } from "../api/query.ts"
import { EditDialog } from "../operator/edit-dialog.tsx"
import { useDraft } from "../ui/draft.ts"
import { Select, TextArea, TextInput } from "../ui/field.tsx"
import { toast } from "../ui/toast.tsx"

/** Creates a workspace, or edits its name, team and spaces. */
export function WorkspaceForm({ of, onClose }: { of?: Workspace; onClose: () => void }) {
  const navigate = useNavigate()
  const teams = useRead("listTeams", { query: { archived: "active" } })
  const draft = useDraft(`workspace.${of?.workspace_id ?? "new"}`, { version: of?.version })
  const create = useChange("createWorkspace", { draft })
  const update = useChange("updateWorkspace", { draft })
  const change = of ? update : create
  const [id, setId] = draft.useField("id", "")
  const [name, setName] = draft.useField("name", of?.name ?? "")
  const [team, setTeam] = draft.useField("team", of?.team ? String(of.team.team_id) : "")
  const [spaces, setSpaces] = draft.useField("spaces", of?.spaces.map(({ space_id }) => space_id).join("\n") ?? "")
  const body = { name, team_id: team ? Number(team) : null }
  const listed = spaces.split(/\s+/).filter(Boolean)
  const known = [...(teams.data?.items ?? []), ...(of?.team ? [of.team] : [])]
  const options = new Map(known.map((one) => [String(one.team_id), one.name]))
  const chosen = known.find(({ team_id }) => String(team_id) === team)
  const changesSpaces = listed.join() !== (of?.spaces ?? []).map(({ space_id }) => space_id).join()
  const mine = {
    name,
    team: chosen ? { team_id: chosen.team_id, name: chosen.name, archived: chosen.archived } : null,
    ...(changesSpaces && { spaces: listed }),
  }
  const save = (ifMatch?: number) => {
    if (of)
      update.mutate(
        {
          path: { workspace_id: of.workspace_id },
          body: { ...body, ...(changesSpaces && { spaces: listed }) },
          ifMatch,
        },
        {
          onSuccess: () => {
            toast(`${name} was saved.`)
            onClose()
          },
        },
      )
    else
      create.mutate(
        { body: { workspace_id: id, ...body } },
        {
          onSuccess: ({ workspace_id }) =>
            void navigate({ to: "/operator/workspaces/$workspaceId", params: { workspaceId: workspace_id } }),
        },
      )
  }
  return (
    <EditDialog
      draft={draft}
      title={of ? `Edit the workspace ${of.name}` : "Create a workspace"}
      verb={of ? "Save" : "Create"}
      change={change}
      save={save}
      mine={mine}
      version={of?.version}
      onClose={onClose}
      disabled={!name.trim() || (!of && !id.trim())}
    >
      {!of && (
        <TextInput
          label="Id"
          name="workspace_id"
          hint="A slug, such as support. It cannot be changed later."
          value={id}
          error={change.error}
          onChange={({ target }) => setId(target.value)}
        />
      )}
      <TextInput
        label="Name"
        name="name"
        value={name}
        error={change.error}
        onChange={({ target }) => setName(target.value)}
      />
      <Select
        label="Team"
        name="team_id"
        hint="All members of the team are members of the workspace."
        value={team}
        options={[["", "No team"], ...options]}
        error={change.error}
        onChange={({ target }) => setTeam(target.value)}
      />
      {of && (
        <TextArea
          mono
          label="Spaces"
          name="spaces"
          hint="Space ids (spc_…), one per line. Members can see and use these spaces."
          value={spaces}
          error={change.error}
          onChange={({ target }) => setSpaces(target.value)}
        />
      )}
    </EditDialog>
  )
}
