import type { Rate, RateState } from "../api/operations.ts"
import { Table } from "./table.tsx"
import { Count } from "./values.tsx"

/** A rate in words. */
export const rateText = ({ requests_per_minute, input_tokens_per_minute, concurrent_turns }: Rate): string =>
  [
    requests_per_minute !== null && `${requests_per_minute} turns per minute`,
    input_tokens_per_minute !== null && `${input_tokens_per_minute} input tokens per minute`,
    concurrent_turns !== null && `${concurrent_turns} concurrent turns`,
  ]
    .filter(Boolean)
    .join(", ")

const LIMIT_TITLES: Record<RateState["limit"], string> = {
  key_requests: "Turns per minute",
  key_input_tokens: "Input tokens per minute",
  key_turns: "Concurrent turns",
  end_user_requests: "End user, turns per minute",
  end_user_input_tokens: "End user, input tokens per minute",
  end_user_turns: "End user, concurrent turns",
}

/** The limits of a rate with their use. */
export const RateTable = ({ caption, states }: { caption: string; states: RateState[] }) => (
  <Table
    caption={caption}
    rows={states}
    rowKey={({ limit }) => limit}
    columns={[
      { title: "Rate", cell: ({ limit }) => LIMIT_TITLES[limit] },
      { title: "Limit", right: true, cell: ({ most }) => <Count value={most} /> },
      { title: "Used now", right: true, cell: ({ used }) => (used === null ? "unknown" : <Count value={used} />) },
    ]}
    empty={<p className="text-muted">No rate limits.</p>}
  />
)
