import type { ReactNode } from "react"
import { addressOf } from "../api/call.ts"
import { useRead } from "../api/query.ts"
import { DownloadLink } from "../ui/download-link.tsx"
import { KeyValues } from "../ui/facts.tsx"
import { OutLink } from "../ui/link.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Id, MoneyOfDecimal, Time } from "../ui/values.tsx"
import { wordsOfTerms } from "./price-terms.ts"
import type { OfTurn } from "./turn-parts.tsx"

const WAIVERS = {
  test: "test turns are free",
  lost: "the service lost the turn",
  over_hold: "a charge never exceeds the hold",
}

/** The signed receipt of an ended turn, with what was not charged, and its refund. */
export function ReceiptOfTurn({ of: { turnId, test } }: OfTurn) {
  const input = { path: { turn_id: turnId }, query: { test: test && ("true" as const) } }
  const receipt = useRead("getTurnReceipt", input)
  return (
    <Section
      title="Receipt"
      action={
        <DownloadLink href={addressOf("getTurnReceipt", input)} name={`receipt-${turnId}.json`}>
          Download
        </DownloadLink>
      }
    >
      <p className="text-muted">
        Every amount can be computed again from this signed document.{" "}
        <OutLink href="/docs/receipts">How to verify it</OutLink>
      </p>
      <Read of={receipt} rows={4}>
        {({ receipt: { document, digest }, refund }) => (
          <KeyValues
            entries={[
              ["Total", <MoneyOfDecimal key="total" decimal={document.total_usd} />],
              ["Held", <MoneyOfDecimal key="held" decimal={document.hold.held_usd} />],
              ["Released", <MoneyOfDecimal key="released" decimal={document.hold.released_usd} />],
              ...document.calls.flatMap((call): [string, ReactNode][] => {
                const terms = wordsOfTerms(call)
                return terms === null ? [] : [[`Prices of step ${call.step}`, terms]]
              }),
              ...document.calls
                .filter(({ waived_for }) => waived_for !== null)
                .map(({ step, waived_usd, waived_for }): [string, ReactNode] => [
                  `Not charged in step ${step}`,
                  <span key={step}>
                    <MoneyOfDecimal decimal={waived_usd} />
                    {waived_for && `: ${WAIVERS[waived_for]}`}
                  </span>,
                ]),
              ["Digest", <Id key="digest" id={digest} />],
              ...(refund
                ? [
                    [
                      "Refunded",
                      <span key="refund">
                        <MoneyOfDecimal decimal={refund.document.refunded_usd} />,{" "}
                        <Time at={refund.document.refunded_at} />
                      </span>,
                    ] as [string, ReactNode],
                  ]
                : []),
            ]}
          />
        )}
      </Read>
    </Section>
  )
}
