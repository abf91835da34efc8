import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { Team } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { curl, PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page, Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"
import { teamsPages } from "./pages.ts"

const TeamForm = lazyPart(() => import("./team-form.tsx").then((file) => ({ default: file.TeamForm })))
const AddMember = lazyPart(() => import("./team-members.tsx").then((file) => ({ default: file.AddTeamMember })))
const Change = lazyPart(() => import("./team-members.tsx").then((file) => ({ default: file.TeamChange })))
const route = getRouteApi("/app/admin/operator/teams/$teamId")

type Open = { what: "add" } | { what: "edit" } | { what: "archive" } | { what: "remove" | "role"; userId: number }

export function TeamPage() {
  const { teamId } = route.useParams()
  const team = useRead("getTeam", { path: { team_id: Number(teamId) } })
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const { data } = team
  return (
    <Page
      title={data?.name ?? `Team ${teamId}`}
      about={data ? <Facts of={data} /> : teamsPages.team.about}
      above={<TextLink to="/operator/teams">Teams</TextLink>}
      action={
        data && (
          <>
            <Button onClick={() => setOpen({ what: "edit" })}>Edit</Button>
            <Button kind={data.archived ? "plain" : "danger"} onClick={() => setOpen({ what: "archive" })}>
              {data.archived ? "Restore" : "Archive"}
            </Button>
            <Button kind="primary" icon="plus" onClick={() => setOpen({ what: "add" })}>
              Add a member
            </Button>
          </>
        )
      }
    >
      <Read of={team} rows={6}>
        {(data) => <Members of={data} onOpen={setOpen} />}
      </Read>
      {data && open && (
        <Suspense>
          {open.what === "add" && <AddMember of={data} onClose={close} />}
          {open.what === "edit" && <TeamForm of={data} onClose={close} />}
          {open.what !== "add" && open.what !== "edit" && <Change of={data} change={open} onClose={close} />}
        </Suspense>
      )}
    </Page>
  )
}

const Facts = ({ of }: { of: Team }) => (
  <span className="flex flex-col gap-1">
    {of.description && <span>{of.description}</span>}
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Id id={String(of.team_id)} />
      <Status word={of.archived ? "archived" : "active"} />
      <span>
        Changed <Time at={of.updated_at} />
        {of.updated_by && (
          <>
            {" by "}
            <PersonName of={of.updated_by} />
          </>
        )}
      </span>
    </span>
  </span>
)

const Members = ({ of, onOpen }: { of: Team; onOpen: (open: Open) => void }) => (
  <Section title="Members">
    <Table
      caption="Members of the team"
      rows={of.members}
      rowKey={({ user_id }) => user_id}
      empty={
        <EmptyState
          title="No members yet"
          curl={curl(`/api/admin/teams/${of.team_id}`, { method: "PUT", body: { members: [{ user_id: 1 }] } })}
        />
      }
      columns={[
        { title: "Member", cell: (member) => <PersonName of={member} /> },
        { title: "Email", cell: ({ email }) => <span className="break-all">{email ?? "–"}</span> },
        { title: "Role", cell: ({ role }) => role },
        { title: "Since", right: true, cell: ({ since }) => <Time at={since} /> },
        {
          title: "Actions",
          actions: true,
          cell: ({ user_id, name, role }) => (
            <span className="inline-flex">
              <Button
                kind="quiet"
                aria-label={`${role === "lead" ? "Make member" : "Make lead"}: ${name ?? user_id}`}
                onClick={() => onOpen({ what: "role", userId: user_id })}
              >
                {role === "lead" ? "Make member" : "Make lead"}
              </Button>
              <Button
                kind="quiet"
                aria-label={`Remove ${name ?? user_id}`}
                onClick={() => onOpen({ what: "remove", userId: user_id })}
              >
                Remove
              </Button>
            </span>
          ),
        },
      ]}
    />
  </Section>
)
