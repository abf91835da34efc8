import { getRouteApi } from "@tanstack/react-router"
import type { SpaceContext } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { List } from "../operator/list.tsx"
import { curl } from "../operator/parts.tsx"
import { CsvLink } from "../ui/csv-link.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { ButtonLink, TextLink } from "../ui/link.tsx"
import { Page } from "../ui/page.tsx"
import { PAGE_ROWS } from "../ui/pager.tsx"
import type { Column } from "../ui/table.tsx"
import { Count, Id, Time } from "../ui/values.tsx"
import { inventoryPages } from "./pages.ts"

const route = getRouteApi("/app/admin/operator/sessions")

type Call = NonNullable<SpaceContext["orchestrator"]> & { name?: string }
type Row = SpaceContext & { call: Call | null; agent: string }

/** From this share on, the context window counts as nearly full. */
const HIGH_SHARE = 0.8

const COLUMNS: Column<Row>[] = [
  {
    title: "Space",
    cell: ({ space_id, title }) => (
      <TextLink to="/operator/spaces/$spaceId" params={{ spaceId: String(space_id) }}>
        {title}
      </TextLink>
    ),
  },
  {
    title: "Agent",
    cell: ({ agent }) => (agent ? <code>{agent}</code> : <span className="text-muted">orchestrator</span>),
  },
  {
    title: "Model",
    cell: ({ call }) => (call ? <code>{call.model}</code> : <span className="text-muted">no call yet</span>),
  },
  { title: "Context tokens", right: true, cell: ({ call }) => <Count value={call?.context_tokens} /> },
  { title: "Context window", right: true, cell: ({ call }) => <Count value={call?.window_tokens} /> },
  { title: "Used", right: true, cell: ({ call }) => <Share of={call} /> },
  { title: "Turn", cell: ({ call }) => (call ? <Id id={call.turn_id} /> : <span className="text-muted">–</span>) },
  { title: "Last call", right: true, cell: ({ call }) => <Time at={call?.called_at} /> },
]

function Share({ of }: { of: Call | null }) {
  if (!of || of.share === null) return <span className="text-muted">–</span>
  const percent = of.share * 100
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden="true" className="flex h-1.5 w-16 overflow-hidden rounded-full bg-hover max-sm:hidden">
        <span
          className={of.share >= HIGH_SHARE ? "bg-warn" : "bg-accent"}
          style={{ width: `${Math.min(100, percent)}%` }}
        />
      </span>
      <span className={of.share >= HIGH_SHARE ? "font-strong text-warn" : ""}>
        {percent.toLocaleString(undefined, { maximumFractionDigits: 1 })}%
      </span>
    </span>
  )
}

/** One row for the agent of the space, and one for each sub-agent. */
const rowsOf = (space: SpaceContext): Row[] => [
  { ...space, call: space.orchestrator, agent: "" },
  ...space.subagents.map((call) => ({ ...space, call, agent: call.name })),
]

export function SessionsPage() {
  const { offset = 0 } = route.useSearch()
  const sessions = useRead("listSpaceSessions", { query: { limit: PAGE_ROWS, offset } })
  return (
    <Page
      {...inventoryPages.sessions}
      action={
        <>
          <CsvLink of="listSpaceSessions" />
          <ButtonLink to="/operator/analytics/context">Context over time</ButtonLink>
        </>
      }
    >
      <List
        caption="Contexts of spaces"
        list="sessions"
        of={sessions}
        columns={COLUMNS}
        rowsOf={rowsOf}
        rowKey={({ space_id, agent }) => `${space_id} ${agent}`}
        empty={<EmptyState title="No spaces yet" curl={curl("/api/admin/spaces/sessions")} />}
      />
    </Page>
  )
}
