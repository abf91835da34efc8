import type { Workspace } from "../api/operations.ts"
import { curl, nameOf, PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { TextLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Status } from "../ui/status.tsx"
import { Table } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"

/** The members and spaces of a workspace. */
export function WorkspaceParts({ of, onRemove }: { of: Workspace; onRemove: (userId: number) => void }) {
  return (
    <>
      <Section title="Members">
        <Table
          caption="Members of the workspace"
          rows={of.members}
          rowKey={({ user_id }) => user_id}
          empty={
            <EmptyState
              title="No direct members"
              curl={curl(`/api/admin/workspaces/${of.workspace_id}/members`, {
                method: "POST",
                body: { user_id: 1, role: "member" },
              })}
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
              cell: (member) => (
                <Button kind="quiet" aria-label={`Remove ${nameOf(member)}`} onClick={() => onRemove(member.user_id)}>
                  Remove
                </Button>
              ),
            },
          ]}
        />
      </Section>
      {of.team && (
        <Section title={`Members through the team ${of.team.name}${of.team.archived ? " (archived)" : ""}`}>
          <Table
            caption="Members through the team"
            rows={of.team_members}
            rowKey={({ user_id }) => user_id}
            empty={<p className="text-muted">The team has no members.</p>}
            columns={[
              { title: "Member", cell: (member) => <PersonName of={member} /> },
              { title: "Email", cell: ({ email }) => <span className="break-all">{email ?? "–"}</span> },
            ]}
          />
        </Section>
      )}
      <Section title="Spaces">
        <Table
          caption="Spaces of the workspace"
          rows={of.spaces}
          rowKey={({ space_id }) => space_id}
          empty={<p className="text-muted">No spaces yet. Edit the workspace to add spaces.</p>}
          columns={[
            {
              title: "Space",
              cell: ({ space_id, title, archived, test }) => (
                <span className="inline-flex flex-wrap items-center gap-2 max-sm:justify-end">
                  <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: space_id }}>
                    {title}
                  </TextLink>
                  {archived && <Status word="archived" />}
                  {test && <Status word="test" tone="warn" />}
                </span>
              ),
            },
            { title: "Id", cell: ({ space_id }) => <Id id={space_id} /> },
            { title: "Owner", right: true, cell: ({ owner_id }) => <PersonName of={{ user_id: owner_id }} /> },
          ]}
        />
      </Section>
    </>
  )
}
