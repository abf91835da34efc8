import { getRouteApi } from "@tanstack/react-router"
import { Suspense, useState } from "react"
import type { ListedUser } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { ChangeUsersRules, UserRules } from "../api/rules.ts"
import { List } from "../operator/list.tsx"
import { curl, nameOf, PersonName } from "../operator/parts.tsx"
import { Button } from "../ui/button.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Page } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { CreatedRange } from "../ui/range.tsx"
import { useSorting } from "../ui/sorting.ts"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { createdIn } from "../ui/time-range.ts"
import { Id, Money, Time } from "../ui/values.tsx"
import { usersPages } from "./pages.ts"

const BulkDialog = lazyPart(() => import("./bulk-dialog.tsx").then((file) => ({ default: file.BulkDialog })))
const CreateUser = lazyPart(() => import("./user-create.tsx").then((file) => ({ default: file.CreateUserDialog })))
const route = getRouteApi("/app/admin/operator/users")

const COLUMNS: Column<ListedUser>[] = [
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
  { title: "Balance", right: true, sort: "balance", cell: ({ balance_usd }) => <Money usd={balance_usd} /> },
  {
    title: "Spend",
    right: true,
    sort: "spend",
    cell: ({ spend_usd, refunded_usd }) => (
      <>
        <Money usd={spend_usd} />
        {refunded_usd > 0 && (
          <span className="block text-muted text-xs">
            refunded <Money usd={refunded_usd} />
          </span>
        )}
      </>
    ),
  },
  { title: "Last seen", right: true, sort: "last_seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  { title: "Created", right: true, sort: "created", cell: ({ created_at }) => <Time at={created_at} /> },
]

/** The most users that one act takes. */
const MOST = ChangeUsersRules.user_ids.maxItems

/** The acts on the chosen users, who may be on other pages. */
function Chosen({ count, onNone, onAct }: { count: number; onNone: () => void; onAct: () => void }) {
  return (
    <>
      <span role="status" className="text-muted">
        {count === 0 ? "No users chosen" : `${count} chosen, at most ${MOST}`}
      </span>
      {count > 0 && (
        <>
          <Button kind="primary" onClick={onAct}>
            Credit, plan or disable
          </Button>
          <Button kind="quiet" onClick={onNone}>
            Choose none
          </Button>
        </>
      )}
    </>
  )
}

export function UsersPage() {
  const { offset = 0, sort = "created", direction = "desc", ...filters } = route.useSearch()
  const [creating, setCreating] = useState(false)
  const { range: _range, ...others } = filters
  const query = { ...others, ...createdIn(filters), sort, direction }
  const users = useRead("listUsers", { query: { ...query, limit: PAGE_ROWS, offset } })
  const sorting = useSorting(sort, direction)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [acting, setActing] = useState(false)
  return (
    <Page
      {...usersPages.users}
      action={
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          Create a user
        </Button>
      }
    >
      <FilterBar
        set={filters}
        views="users"
        end={<CsvLink of="listUsers" input={{ query }} />}
        filters={
          <>
            <ChoiceFilter
              label="Role"
              name="role"
              value={filters.role}
              all="All roles"
              options={UserRules.role.words}
            />
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
            <TextFilter label="Brand" name="brand" value={filters.brand} />
            <TextFilter label="Plan" name="plan" value={filters.plan} />
          </>
        }
      >
        <TextFilter label="Name, email or id" name="q" value={filters.q} wide />
        <CreatedRange of={filters} />
      </FilterBar>
      <List
        caption="Users"
        list="users"
        of={users}
        columns={COLUMNS}
        selection={{
          chosen,
          onChange: setChosen,
          labelOf: (user) => `Choose ${nameOf(user)}`,
          most: MOST,
        }}
        bar={<Chosen count={chosen.size} onNone={() => setChosen(new Set())} onAct={() => setActing(true)} />}
        sorting={sorting}
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
      {acting && (
        <Suspense>
          <BulkDialog
            userIds={[...chosen].map(Number)}
            onClose={() => setActing(false)}
            onDone={() => setChosen(new Set())}
          />
        </Suspense>
      )}
      {creating && (
        <Suspense>
          <CreateUser onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Page>
  )
}
