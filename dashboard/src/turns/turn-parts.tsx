import { addressOf } from "../api/call.ts"
import type { FileInfo, Turn, TurnBill, TurnEvent } from "../api/operations.ts"
import { CALL_COUNTS, MODEL_PRICES } from "../api/prices.ts"
import { useRead } from "../api/query.ts"
import { listTurnDeliveriesQuery } from "../api/rules.ts"
import { buttonLook } from "../ui/button.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { Icon } from "../ui/icon.tsx"
import { TextLink } from "../ui/link.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Id, Money, Time } from "../ui/values.tsx"
import { DeliveryTable } from "./delivery-table.tsx"
import { wordsOfTerms } from "./price-terms.ts"
import { SeenContext } from "./seen-context.tsx"
import { useTurnEvents } from "./turn-reads.ts"
import { TurnTable } from "./turn-table.tsx"
import { sizeOf } from "./turn-words.ts"

export interface OfTurn {
  of: { turnId: string; test: true | undefined }
}

const inputOf = ({ turnId, test }: OfTurn["of"]) => ({
  path: { turn_id: turnId },
  query: { test: test && ("true" as const) },
})

type BillItem = TurnBill["items"][number]

export function BillTab({ of }: OfTurn) {
  const bill = useRead("getTurnBill", inputOf(of))
  return (
    <Read of={bill}>
      {({ items, cost_usd, billed_cost_usd, refunded_usd, held_usd }) => (
        <>
          <Stats>
            <Stat label="Cost of model calls">
              <Money usd={cost_usd} />
            </Stat>
            <Stat label="Billed" hint="the amount in the ledger">
              <Money usd={billed_cost_usd} />
            </Stat>
            {refunded_usd > 0 && (
              <Stat label="Refunded" hint="to your balance">
                <Money usd={refunded_usd} />
              </Stat>
            )}
            <Stat label="Held">
              <Money usd={held_usd} />
            </Stat>
          </Stats>
          <Table
            caption="Bill by model call"
            rows={items}
            rowKey={({ step, call, model, role }) => `${step} ${call} ${model} ${role}`}
            columns={billColumns(items)}
            empty={<p className="text-muted">No model calls.</p>}
          />
        </>
      )}
    </Read>
  )
}

/** The columns of a bill: all counts that each call has, and those of the others that this bill has. */
const billColumns = (items: readonly BillItem[]): Column<BillItem>[] => [
  { title: "Step", cell: ({ step, call }) => (step < 0 ? "whole turn" : call === null ? step : `${step}, image`) },
  {
    title: "Model",
    cell: ({ model, role, subagent }) => (
      <span className="inline-flex flex-col">
        {model}
        <span className="text-muted text-xs">{subagent ?? role}</span>
      </span>
    ),
  },
  { title: "Calls", right: true, cell: ({ calls }) => <Count value={calls} /> },
  ...CALL_COUNTS.filter(({ name, required }) => required || items.some((item) => item[name] > 0)).map(
    ({ name, title }): Column<BillItem> => ({ title, right: true, cell: (item) => <Count value={item[name]} /> }),
  ),
  { title: "Prices", cell: (item) => <Prices item={item} /> },
  { title: "Billed", right: true, cell: ({ billed_usd }) => <Money usd={billed_usd} /> },
]

/** The price version of a call, and its prices that apply to the call, in USD per million tokens or per unit. */
function Prices({ item }: { item: BillItem }) {
  const { price, price_version } = item
  const terms = wordsOfTerms(item)
  const kind = item.call === null ? "chat" : "image"
  const applied = MODEL_PRICES.filter(
    ({ count, ...of }) => of.kind === kind && (of.required || (count && item[count] > 0)),
  )
  const words =
    price === null
      ? "no longer available"
      : applied.map(({ label, bill, perUnit }) => `${label} $${price[bill]}${perUnit ? " each" : ""}`).join(" · ")
  return (
    <span className="inline-flex flex-col">
      {terms === null ? `Version ${price_version}` : `Version ${price_version}, ${terms}`}
      <span className="text-muted text-xs">{kind === "chat" && price ? `Per million tokens: ${words}` : words}</span>
    </span>
  )
}

export function TurnFilesTab({ of, turn }: OfTurn & { turn: Turn }) {
  const files = useRead("listTurnFiles", inputOf(of))
  const columns: Column<FileInfo>[] = [
    { title: "Name", cell: ({ name }) => <span className="break-all">{name}</span> },
    { title: "Source", cell: ({ turn }) => (turn === of.turnId ? "created by the agent" : "sent with the turn") },
    { title: "Type", cell: ({ media_type }) => media_type },
    { title: "Size", right: true, cell: ({ bytes }) => sizeOf(bytes) },
    { title: "File", cell: ({ file_id }) => <Id id={file_id} /> },
    {
      title: "Actions",
      actions: true,
      cell: ({ file_id, name }) => (
        <a
          href={addressOf("getFileContent", { path: { space_id: turn.space, file_id } })}
          download={name}
          aria-label={`Download ${name}`}
          className={buttonLook("quiet")}
        >
          <Icon name="download" />
          Download
        </a>
      ),
    },
  ]
  return (
    <Read of={files}>
      {({ items }) => (
        <Table
          caption="Files of this turn"
          rows={items}
          rowKey={({ file_id }) => file_id}
          columns={columns}
          empty={
            <p className="text-muted">
              No files. Files that are sent with the turn or created by the agent appear here.
            </p>
          }
        />
      )}
    </Read>
  )
}

export function DeliveriesTab({ of }: OfTurn) {
  const { path, query } = inputOf(of)
  const deliveries = useRead("listTurnDeliveries", {
    path,
    query: { ...query, limit: listTurnDeliveriesQuery.limit.maximum },
  })
  return (
    <Read of={deliveries}>
      {({ items }) => (
        <DeliveryTable
          deliveries={items}
          empty={
            <p className="text-muted [&_a]:decoration-current">
              No deliveries. <TextLink to="/webhooks">Webhooks</TextLink> notify your server when a turn ends.
            </p>
          }
        />
      )}
    </Read>
  )
}

const SHOWN_TURNS = 50

export function ConversationTab({ of, turn }: OfTurn & { turn: Turn }) {
  const { conversation } = turn
  const turns = useRead("listTurns", { query: { ...inputOf(of).query, conversation, limit: SHOWN_TURNS } })
  return (
    <Read of={turns}>
      {({ items, total }) => (
        <>
          <p className="text-muted [&_a]:decoration-current">
            {total === 1 ? "This is the only turn." : `${total} turns, newest first.`}{" "}
            <TextLink to="/turns" search={{ conversation }}>
              View as a list with filters
            </TextLink>
          </p>
          <SeenContext of={of} conversation={conversation} />
          <TurnTable turns={items} caption="Turns of this conversation" current={of.turnId} />
        </>
      )}
    </Read>
  )
}

const EVENTS: Column<TurnEvent>[] = [
  { title: "Seq", cell: ({ seq }) => seq },
  { title: "Event", cell: ({ type }) => <code>{type}</code> },
  { title: "Data", cell: ({ data }) => <code className="break-all text-muted">{JSON.stringify(data)}</code> },
  { title: "Time", right: true, cell: ({ created_at }) => <Time at={created_at} exact /> },
]

export function EventsTab({ of }: OfTurn) {
  const events = useTurnEvents(of)
  return (
    <Read of={events}>
      {({ items, total }) => (
        <>
          {total > items.length && (
            <p className="text-muted">
              The first {items.length} of {total} events.
            </p>
          )}
          <Table caption="Events of this turn" rows={items} rowKey={({ seq }) => seq} columns={EVENTS} />
        </>
      )}
    </Read>
  )
}
