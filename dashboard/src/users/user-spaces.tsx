import { getRouteApi } from "@tanstack/react-router"
import type { UserSpace } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { List } from "../operator/list.tsx"
import { curl } from "../operator/parts.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { TextLink } from "../ui/link.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"

const route = getRouteApi("/app/admin/operator/users/$userId")

const COLUMNS: Column<UserSpace>[] = [
  {
    title: "Space",
    cell: ({ space_id, title }) => (
      <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: String(space_id) }}>
        {title}
      </TextLink>
    ),
  },
  { title: "Slug", cell: ({ slug }) => <Id id={slug} /> },
  { title: "Role", cell: ({ role, via }) => (via === "board" ? "in the chat, no access" : role) },
  { title: "Origin", cell: ({ origin }) => origin },
  { title: "Brand", cell: ({ brand }) => brand },
  {
    title: "State",
    cell: ({ archived, test }) => (
      <span className="inline-flex gap-1">
        <Status word={archived ? "archived" : "active"} />
        {test && <Status word="test" tone="warn" />}
      </span>
    ),
  },
  { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

export function UserSpaces({ userId }: { userId: number }) {
  const { offset = 0 } = route.useSearch()
  const spaces = useRead("listUserSpaces", { path: { user_id: userId }, query: { limit: PAGE_ROWS, offset } })
  return (
    <List
      caption="Spaces of the user"
      of={spaces}
      columns={COLUMNS}
      rowKey={({ space_id }) => space_id}
      empty={
        <EmptyState title="No spaces" curl={curl(`/api/admin/users/${userId}/spaces`)}>
          The user owns no space and is not a member of any space.
        </EmptyState>
      }
    />
  )
}
