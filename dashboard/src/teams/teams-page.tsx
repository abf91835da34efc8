import { getRouteApi } from "@tanstack/react-router"
import type { Team } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { GroupsPage } from "../operator/groups-page.tsx"
import { List } from "../operator/list.tsx"
import { curl, PersonName } from "../operator/parts.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Time } from "../ui/values.tsx"
import { teamsPages } from "./pages.ts"

const TeamForm = lazyPart(() => import("./team-form.tsx").then((file) => ({ default: file.TeamForm })))
const route = getRouteApi("/app/admin/operator/teams")

const COLUMNS: Column<Team>[] = [
  {
    title: "Team",
    cell: ({ team_id, name }) => (
      <TextLink to="/operator/teams/$teamId" params={{ teamId: String(team_id) }}>
        {name}
      </TextLink>
    ),
  },
  { title: "Id", cell: ({ team_id }) => <Id id={String(team_id)} /> },
  { title: "Description", cell: ({ description }) => description ?? <span className="text-muted">–</span> },
  { title: "Leads", cell: ({ members }) => <Leads of={members} /> },
  { title: "State", cell: ({ archived }) => <Status word={archived ? "archived" : "active"} /> },
  { title: "Members", right: true, cell: ({ members }) => <Count value={members.length} /> },
  { title: "Last changed", right: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
]

function Leads({ of }: { of: Team["members"] }) {
  const leads = of.filter(({ role }) => role === "lead")
  if (leads.length === 0) return <span className="text-muted">–</span>
  return (
    <span className="flex flex-wrap gap-x-3">
      {leads.map((lead) => (
        <PersonName key={lead.user_id} of={lead} />
      ))}
    </span>
  )
}

export function TeamsPage() {
  const { q, archived, offset = 0 } = route.useSearch()
  const teams = useRead("listTeams", { query: { q, archived, limit: PAGE_ROWS, offset } })
  return (
    <GroupsPage
      page={teamsPages.teams}
      what="team"
      search={{ q, archived }}
      form={TeamForm}
      csv={<CsvLink of="listTeams" input={{ query: { q, archived } }} />}
    >
      <List
        caption="Teams"
        list="teams"
        of={teams}
        columns={COLUMNS}
        rowKey={({ team_id }) => team_id}
        empty={
          <EmptyState
            title="No teams match these filters"
            curl={curl("/api/admin/teams", { method: "POST", body: { name: "Support" } })}
          />
        }
      />
    </GroupsPage>
  )
}
