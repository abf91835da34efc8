import type { ReactNode } from "react"
import type { System } from "../api/operations.ts"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Time } from "../ui/values.tsx"

type Turns = Pick<System["turns"], "waiting">
type WaitingTurns = System["turns"]["waiting"][number]
type WaitingDeliveries = System["webhooks"]["waiting"][number]

const TURNS: Record<WaitingTurns["for"], string> = {
  approval: "Turns: a decision about a call",
  result: "Turns: a later result of a call",
  limit: "Turns: a limit",
}

const DELIVERIES: Record<WaitingDeliveries["for"], string> = {
  verification: "Deliveries: the endpoint's first answer",
  retry: "Deliveries: the next attempt",
  attempt: "Deliveries: an attempt",
}

interface Row {
  what: string
  count: number
  oldest: string | null
}

const COLUMNS: Column<Row>[] = [
  { title: "Waiting for", cell: ({ what }) => what },
  { title: "Count", right: true, cell: ({ count }) => <Count value={count} /> },
  { title: "Oldest", right: true, cell: ({ oldest }) => <Time at={oldest} /> },
]

/** What waits, for what, and since when. Only reasons for which something waits have a row. */
export function Waits({ turns, webhooks }: { turns: Turns; webhooks?: System["webhooks"] }): ReactNode {
  const rows: Row[] = [
    ...turns.waiting.map((one) => ({ what: TURNS[one.for], count: one.turns, oldest: one.oldest_at })),
    ...(webhooks?.waiting ?? []).map((one) => ({
      what: DELIVERIES[one.for],
      count: one.deliveries,
      oldest: one.oldest_at,
    })),
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return null
  return <Table caption="What waits" rows={rows} rowKey={({ what }) => what} columns={COLUMNS} />
}

/** The number of turns that wait. */
export const waitingOf = ({ waiting }: Turns): number => waiting.reduce((sum, { turns }) => sum + turns, 0)
