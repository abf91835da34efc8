import { getRouteApi } from "@tanstack/react-router"
import type { Workspace } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { GroupsPage } from "../operator/groups-page.tsx"
import { List } from "../operator/list.tsx"
import { curl } from "../operator/parts.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Time } from "../ui/values.tsx"
import { workspacesPages } from "./pages.ts"

const WorkspaceForm = lazyPart(() => import("./workspace-form.tsx").then((file) => ({ default: file.WorkspaceForm })))
const route = getRouteApi("/app/admin/operator/workspaces")

const COLUMNS: Column<Workspace>[] = [
  {
    title: "Workspace",
    cell: ({ workspace_id, name }) => (
      <TextLink to="/operator/workspaces/$workspaceId" params={{ workspaceId: workspace_id }}>
        {name}
      </TextLink>
    ),
  },
  { title: "Id", cell: ({ workspace_id }) => <Id id={workspace_id} /> },
  {
    title: "Team",
    cell: ({ team }) =>
      team ? (
        <TextLink to="/operator/teams/$teamId" params={{ teamId: String(team.team_id) }}>
          {team.name}
        </TextLink>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  { title: "Bot", cell: ({ bot }) => (bot.username ? `@${bot.username}` : <span className="text-muted">–</span>) },
  { title: "State", cell: ({ archived }) => <Status word={archived ? "archived" : "active"} /> },
  { title: "Members", right: true, cell: ({ members }) => <Count value={members.length} /> },
  { title: "Spaces", right: true, cell: ({ spaces }) => <Count value={spaces.length} /> },
  { title: "Last changed", right: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
]

export function WorkspacesPage() {
  const { q, archived, offset = 0 } = route.useSearch()
  const workspaces = useRead("listWorkspaces", { query: { q, archived, limit: PAGE_ROWS, offset } })
  return (
    <GroupsPage
      page={workspacesPages.workspaces}
      what="workspace"
      search={{ q, archived }}
      form={WorkspaceForm}
      csv={<CsvLink of="listWorkspaces" input={{ query: { q, archived } }} />}
    >
      <List
        caption="Workspaces"
        list="workspaces"
        of={workspaces}
        columns={COLUMNS}
        rowKey={({ workspace_id }) => workspace_id}
        empty={
          <EmptyState
            title="No workspaces match these filters"
            curl={curl("/api/admin/workspaces", {
              method: "POST",
              body: { workspace_id: "support", name: "Support" },
            })}
          />
        }
      />
    </GroupsPage>
  )
}
