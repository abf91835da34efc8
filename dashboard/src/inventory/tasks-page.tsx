import { getRouteApi } from "@tanstack/react-router"
import type { Task } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { TaskRules } from "../api/rules.ts"
import { List } from "../operator/list.tsx"
import { curl, PersonName } from "../operator/parts.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ChoiceFilter, FilterBar, TextFilter } from "../ui/filter-bar.tsx"
import { TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import { Status } from "../ui/status.tsx"
import type { Column } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"
import { inventoryPages } from "./pages.ts"

const route = getRouteApi("/app/admin/operator/tasks")

const TONES: Record<Task["state"], "none" | "ok"> = { open: "none", closed: "none", done: "ok", cancelled: "none" }

const COLUMNS: Column<Task>[] = [
  {
    title: "Task",
    cell: ({ title, description }) => (
      <span className="flex flex-col max-sm:items-end">
        <span>{title}</span>
        {description && <span className="line-clamp-1 max-w-[420px] text-muted text-xs">{description}</span>}
      </span>
    ),
  },
  { title: "State", cell: ({ state }) => <Status word={state} tone={TONES[state]} /> },
  {
    title: "Flow",
    cell: ({ flow, flow_place }) =>
      flow ? (
        <span>
          {flow} <span className="text-muted">step {flow_place}</span>
        </span>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  { title: "Assignee", cell: ({ assignee }) => <PersonName of={assignee} /> },
  {
    title: "Space",
    cell: ({ space }) => (
      <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: space.slug }}>
        {space.title}
      </TextLink>
    ),
  },
  { title: "Account", cell: ({ creator }) => <PersonName of={creator} /> },
  {
    title: "End user",
    cell: ({ end_user_ref }) => (end_user_ref ? <code>{end_user_ref}</code> : <span className="text-muted">–</span>),
  },
  { title: "Turn", cell: ({ turn_id }) => (turn_id ? <Id id={turn_id} /> : <span className="text-muted">–</span>) },
  { title: "Last changed", right: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
]

const idText = (id: number | undefined) => (id === undefined ? undefined : String(id))

export function TasksPage() {
  const { offset = 0, test: _test, ...filters } = route.useSearch()
  const tasks = useRead("listTasks", { query: { ...filters, limit: PAGE_ROWS, offset } })
  return (
    <Page {...inventoryPages.tasks}>
      <FilterBar
        set={filters}
        end={<CsvLink of="listTasks" input={{ query: filters }} />}
        filters={
          <>
            <ChoiceFilter
              label="State"
              name="state"
              value={filters.state}
              all="All states"
              options={TaskRules.state.words}
            />
            <TextFilter label="Space slug" name="space" value={filters.space} />
            <TextFilter label="Brand" name="brand" value={filters.brand} />
            <TextFilter label="Assignee's user id" name="assignee_user_id" value={idText(filters.assignee_user_id)} />
            <TextFilter label="Account's user id" name="creator_user_id" value={idText(filters.creator_user_id)} />
          </>
        }
      >
        <TextFilter label="Title" name="q" value={filters.q} />
      </FilterBar>
      <List
        caption="Tasks"
        list="tasks"
        of={tasks}
        columns={COLUMNS}
        rowKey={({ task_id }) => task_id}
        empty={
          <EmptyState title="No tasks match these filters" curl={curl("/api/admin/tasks")}>
            Agents create tasks with the built-in tool <code>create_task</code>. Enable it in the manifest of a space.
          </EmptyState>
        }
      />
    </Page>
  )
}
