import type { ReactNode } from "react"
import { wordsOf } from "../api/code-words.ts"
import type { Turn, TurnSummary, Waiting } from "../api/operations.ts"
import { TextLink } from "../ui/link.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Id, Time } from "../ui/values.tsx"
import { TurnCost } from "./turn-cost.tsx"
import { noTextOf } from "./turn-words.ts"
import { waitWords } from "./wait-words.ts"

interface TurnTableProps {
  turns: readonly Turn[] | undefined
  /** Titles of spaces by id. Without them, the table has no space column. */
  titles?: Map<string, string>
  empty?: ReactNode
  stale?: boolean
  caption?: string
  /** The turn of the current page. It is shown without a link. */
  current?: string
}

/** The state of a turn. A card has no room for it next to the state of a wait. */
const RunState = ({ state, isWaiting }: { state: Turn["state"]; isWaiting: boolean }) => (
  <span className={isWaiting ? "max-sm:[td_&]:hidden" : "contents"}>
    <Status word={state} />
  </span>
)

/** A turn's state, its status reason (docs/contract.md), and whether its output was truncated. */
export const TurnState = ({ turn: { state, status_reason, truncated, waiting, waits_behind } }: { turn: Turn }) => (
  <span className="inline-flex flex-wrap items-center gap-2">
    <RunState state={state} isWaiting={waiting !== null} />
    {waiting && <WaitState of={waiting} />}
    {waits_behind && (
      <TextLink to="/turns/$turnId" params={{ turnId: waits_behind }} className="text-xs">
        waits for an earlier turn
      </TextLink>
    )}
    {status_reason && <ReasonWords code={status_reason} />}
    {truncated && <span className="text-muted text-xs">truncated</span>}
  </span>
)

/** Why a turn ended in its state, with the code on hover. */
export const ReasonWords = ({ code }: { code: string }) => (
  <span title={code} className="text-muted text-xs">
    {wordsOf(code)}
  </span>
)

/** What a running turn waits for. */
export const WaitState = ({ of }: { of: Pick<Waiting, "for"> }) => <Status word={waitWords(of.for)} tone="warn" />

/** A model as a pin. A long one is cut; its title has the whole name. */
export const ModelName = ({ pin }: { pin: string }) => (
  <span title={pin} className="block max-w-[14ch] truncate 2xl:max-w-[20ch]">
    {pin}
  </span>
)

/** A turn's state and its reason in the explorer. */
export const SummaryState = ({
  of: { state, waiting, status_reason },
}: {
  of: Pick<TurnSummary, "state" | "waiting" | "status_reason">
}) => (
  <span className="inline-flex flex-wrap items-center gap-2">
    <RunState state={state} isWaiting={waiting !== null} />
    {waiting && <WaitState of={waiting} />}
    {status_reason && <ReasonWords code={status_reason} />}
  </span>
)

/** One line of a text. The other columns leave room for its first words. */
const INPUT = "line-clamp-1 max-w-[44ch] break-all sm:min-w-[20ch]"

/** Turns, each with a link to its page. */
export function TurnTable({ turns, titles, empty, stale, caption = "Turns", current }: TurnTableProps) {
  const space: Column<Turn>[] = titles
    ? [{ title: "Space", cell: (turn) => <SpaceOfTurn id={turn.space} title={titles.get(turn.space)} /> }]
    : []
  return (
    <Table
      caption={caption}
      rows={turns}
      rowKey={({ turn_id }) => turn_id}
      stale={stale}
      empty={empty}
      columns={[
        {
          title: "Input",
          cell: ({ turn_id, text, texts_deleted_at }) =>
            turn_id === current ? (
              <b className={INPUT}>{text || noTextOf({ texts_deleted_at })} (this turn)</b>
            ) : (
              <TextLink to="/turns/$turnId" params={{ turnId: turn_id }} className={`${INPUT} text-left`}>
                {text || noTextOf({ texts_deleted_at })}
              </TextLink>
            ),
        },
        { title: "State", cell: (turn) => <TurnState turn={turn} /> },
        ...space,
        {
          title: "End user",
          cell: ({ end_user_ref }) => <EndUserOfTurn endUserRef={end_user_ref} />,
        },
        { title: "Model", cell: ({ model }) => <ModelName pin={model} /> },
        {
          title: "Cost",
          right: true,
          cell: (turn) => <TurnCost of={turn} />,
        },
        { title: "Turn", spare: true, cell: ({ turn_id }) => <Id id={turn_id} /> },
        { title: "Created", right: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  )
}

export const SpaceOfTurn = ({ id, title }: { id: string; title: string | undefined }) => (
  <TextLink to="/spaces/$spaceId" params={{ spaceId: id }} className="block max-w-[18ch] truncate">
    {title ?? id}
  </TextLink>
)

/** The end user of a turn. Turns of the web app have no end user. */
export const EndUserOfTurn = ({ endUserRef }: { endUserRef: string }) =>
  endUserRef === "" ? (
    <span className="text-muted">web chat</span>
  ) : (
    <TextLink to="/end-users/$endUserRef" params={{ endUserRef }} className="block max-w-[22ch] truncate text-text">
      {endUserRef}
    </TextLink>
  )
