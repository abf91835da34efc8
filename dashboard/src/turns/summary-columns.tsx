import type { TurnSummary } from "../api/operations.ts"
import { Seconds, When } from "../ui/figures.tsx"
import { TextLink } from "../ui/link.tsx"
import type { Column } from "../ui/table.tsx"
import { TurnCost } from "./turn-cost.tsx"
import { EndUserOfTurn, ModelName, SpaceOfTurn, SummaryState } from "./turn-table.tsx"

/** The columns of turns with the names of their spaces and keys. */
export const SUMMARY_COLUMNS: Column<TurnSummary>[] = [
  {
    title: "Input",
    cell: ({ turn_id, text }) => (
      <TextLink
        to="/turns/$turnId"
        params={{ turnId: turn_id }}
        className="block max-w-[22ch] truncate 2xl:max-w-[36ch]"
      >
        {text || "(no text)"}
      </TextLink>
    ),
  },
  { title: "State", cell: (turn) => <SummaryState of={turn} /> },
  { title: "Space", cell: ({ space, space_title }) => <SpaceOfTurn id={space} title={space_title} /> },
  { title: "End user", cell: ({ end_user_ref }) => <EndUserOfTurn endUserRef={end_user_ref} /> },
  {
    title: "API key",
    rare: true,
    cell: ({ key }) =>
      key ? (
        <TextLink to="/keys/$keyId" params={{ keyId: key.key_id }} className="block max-w-[16ch] truncate text-text">
          {key.name}
        </TextLink>
      ) : (
        <span className="text-muted">none</span>
      ),
  },
  { title: "Model", cell: ({ model }) => <ModelName pin={model} /> },
  {
    title: "Cost",
    sort: "cost",
    right: true,
    cell: (turn) => <TurnCost of={turn} />,
  },
  { title: "Duration", sort: "duration", right: true, cell: ({ seconds }) => <Seconds value={seconds} /> },
  { title: "Created", timed: true, sort: "newest", right: true, cell: ({ created_at }) => <When at={created_at} /> },
]
