import type { Subscription } from "../api/operations.ts"
import { TextLink } from "../ui/link.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Time } from "../ui/values.tsx"

/** The state of a subscription now: `active`, `scheduled`, `ended` or `deactivated`. */
export function planState({ starts_at, ends_at, deactivated_at }: Subscription, now = Date.now()): string {
  if (deactivated_at) return "deactivated"
  if (ends_at && Date.parse(ends_at) <= now) return "ended"
  return Date.parse(starts_at) > now ? "scheduled" : "active"
}

const COLUMNS: Column<Subscription>[] = [
  {
    title: "Plan",
    cell: (of) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        {of.plan} {of.trial && <Status word="trial" />}
      </span>
    ),
  },
  { title: "State", cell: (of) => <Status word={planState(of)} /> },
  { title: "Id", cell: ({ sub_id }) => <code>{sub_id}</code> },
  { title: "Since", cell: ({ starts_at }) => <Time at={starts_at} /> },
  { title: "Ends", cell: ({ ends_at }) => (ends_at ? <Time at={ends_at} /> : "no end date") },
  { title: "Note", cell: ({ note }) => note ?? <span className="text-muted">–</span> },
]

const USER: Column<Subscription> = {
  title: "User",
  cell: ({ user_id }) => (
    <TextLink to="/operator/users/$userId" params={{ userId: String(user_id) }}>
      User {user_id}
    </TextLink>
  ),
}

/** The columns of a list of subscriptions. */
export const planColumns: readonly Column<Subscription>[] = [USER, ...COLUMNS]

/** The subscriptions of one user, with a column of actions. */
export function PlansOfUser({ of, actions }: { of: readonly Subscription[]; actions: Column<Subscription>["cell"] }) {
  return (
    <Table
      caption="Subscriptions"
      rows={of}
      rowKey={({ sub_id }) => sub_id}
      columns={[...COLUMNS, { title: "Actions", actions: true, cell: actions }]}
      empty={<p className="text-muted">No plan.</p>}
    />
  )
}
