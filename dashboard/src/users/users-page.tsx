import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { AdminUser } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { UserRules } from "../api/rules.ts"
import { List } from "../operator/list.tsx"
import { curl, PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Page } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Id, Money, Time } from "../ui/values.tsx"
import { usersPages } from "./pages.ts"

const CreateUser = lazyPart(() => import("./user-create.tsx").then((file) => ({ default: file.CreateUserDialog })))
const route = getRouteApi("/app/admin/operator/users")

const COLUMNS: Column<AdminUser>[] = [
  { title: "User", cell: (user) => <PersonName of={user} /> },
  { title: "Id", cell: ({ user_id }) => <Id id={String(user_id)} /> },
  {
    title: "Email",
    cell: ({ email, email_verified }) =>
      email ? (
        <span className="break-all">
          {email} {!email_verified && <span className="text-muted text-xs">not verified</span>}
        </span>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  { title: "Role", cell: ({ role }) => (role === "admin" ? <Status word="admin" /> : role) },
  { title: "Brand", cell: ({ brand }) => brand },
  {
    title: "State",
    cell: ({ disabled_at }) => <Status word={disabled_at ? "disabled" : "active"} />,
  },
  { title: "Balance", right: true, cell: ({ balance_usd }) => <Money usd={balance_usd} /> },
  { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

export function UsersPage() {
  const { offset = 0, ...filters } = route.useSearch()
  const [creating, setCreating] = useState(false)
  const users = useRead("listUsers", { query: { ...filters, limit: PAGE_ROWS, offset } })
  return (
    <Page
      {...usersPages.users}
      action={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          Create a user
        </Button>
      }
    >
      <FilterBar set={filters} end={<CsvLink of="listUsers" input={{ query: filters }} />}>
        <TextFilter label="Name, email or id" name="q" value={filters.q} wide />
        <ChoiceFilter label="Role" name="role" value={filters.role} all="All roles" options={UserRules.role.words} />
        <ChoiceFilter
          label="State"
          name="disabled"
          value={filters.disabled}
          all="All states"
          options={[
            ["false", "Active"],
            ["true", "Disabled"],
          ]}
        />
      </FilterBar>
      <List
        caption="Users"
        of={users}
        columns={COLUMNS}
        rowKey={({ user_id }) => user_id}
        empty={
          <EmptyState
            title="No users match these filters"
            curl={curl("/api/admin/users", { method: "POST", body: { email: "ada@example.com", name: "Ada" } })}
          >
            Change the filters, or create a user.
          </EmptyState>
        }
      />
      {creating && (
        <Suspense>
          <CreateUser onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Page>
  )
}
