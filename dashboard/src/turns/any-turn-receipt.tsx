import { addressOf } from "../api/call.ts"
import type { AnyTurnReceipt } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { DownloadLink } from "../ui/download-link.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Count, Id, Money, MoneyOfDecimal } from "../ui/values.tsx"

type ReceiptCall = AnyTurnReceipt["receipt"]["document"]["calls"][number]
type CallWithCost = ReceiptCall & { costs: AnyTurnReceipt["costs"]["calls"][number] | undefined }

/** The receipt of an ended turn for operators: each call with its cost for us, which the signed document lacks. */
export function ReceiptOfAnyTurn({ turnId }: { turnId: string }) {
  const input = { path: { turn_id: turnId } }
  const receipt = useRead("getAnyTurnReceipt", input)
  return (
    <Section
      title="Receipt"
      action={
        <DownloadLink href={addressOf("getAnyTurnReceipt", input)} name={`receipt-${turnId}.json`}>
          Download
        </DownloadLink>
      }
    >
      <Read of={receipt} rows={4}>
        {({ receipt: { document, digest }, costs }) => (
          <>
            <Table
              caption="Calls of the receipt"
              rows={document.calls.map((call, index): CallWithCost => ({ ...call, costs: costs.calls[index] }))}
              rowKey={({ step, call }) => `${step} ${call}`}
              columns={COLUMNS}
              empty={<p className="text-muted">The turn has no call.</p>}
            />
            <p className="text-muted">
              Digest of the signed document: <Id id={digest} />. It has no cost and no margin.
            </p>
          </>
        )}
      </Read>
    </Section>
  )
}

const COLUMNS: Column<CallWithCost>[] = [
  { title: "Step", cell: ({ step, call }) => (call === null ? step : `${step}, image`) },
  {
    title: "Model",
    cell: ({ model, price_version, above_input_tokens, modifiers }) => (
      <span className="inline-flex flex-col">
        {model}
        <span className="text-muted text-xs">
          Version {price_version}
          {above_input_tokens !== undefined && (
            <>
              , above <Count value={above_input_tokens} /> input tokens
            </>
          )}
          {modifiers && `, ${modifiers.join(", ")}`}
        </span>
      </span>
    ),
  },
  { title: "Price", right: true, cell: ({ computed_usd }) => <MoneyOfDecimal decimal={computed_usd} /> },
  { title: "Not charged", right: true, cell: ({ waived_usd }) => <MoneyOfDecimal decimal={waived_usd} /> },
  { title: "Billed", right: true, cell: ({ amount_usd }) => <MoneyOfDecimal decimal={amount_usd} /> },
  { title: "Cost for us", right: true, cell: ({ costs }) => <Money usd={costs?.cost_usd} /> },
  { title: "Margin", right: true, cell: ({ costs }) => <Money usd={costs?.margin_usd} /> },
]
