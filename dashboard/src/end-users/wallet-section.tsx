import { Suspense, useState } from "react"
import type { EndUserBalance, EndUserLedgerEntry } from "../api/operations.ts"
import { useRead } from "../api/query.ts"
import { Button } from "../ui/button.tsx"
import { Stat, Stats } from "../ui/facts.tsx"
import { AlignedMoney } from "../ui/figures.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Section } from "../ui/page.tsx"
import { Read } from "../ui/read.tsx"
import { Status } from "../ui/status.tsx"
import { type Column, Table } from "../ui/table.tsx"
import { Id, MoneyFigure, Time } from "../ui/values.tsx"

const CreditDialog = lazyPart(() =>
  import("./wallet-dialogs.tsx").then((module) => ({ default: module.CreditEndUserDialog })),
)
const BillingDialog = lazyPart(() =>
  import("./wallet-dialogs.tsx").then((module) => ({ default: module.EndUserBillingDialog })),
)

const SOURCES: Record<EndUserBalance["price_source"], string> = {
  end_user: "set for this end user",
  key: "the key's default",
  account: "the account's default",
  none: "nothing is set",
}

/** The entries that the page shows at first, and with one more press. */
const [FEW, MANY] = [10, 100]

/** The prepaid credit of an end user, its ledger, and how turns are charged. */
export function EndUserWallet({ endUserRef, test }: { endUserRef: string; test: true | undefined }) {
  const input = { path: { end_user_ref: endUserRef }, query: { test: test && ("true" as const) } }
  const wallet = useRead("getEndUserBalance", input)
  const [limit, setLimit] = useState(FEW)
  const ledger = useRead("listEndUserLedger", { ...input, query: { ...input.query, limit } })
  const [open, setOpen] = useState<"credit" | "billing" | null>(null)
  const close = () => setOpen(null)
  return (
    <Section title="Price and wallet">
      <Read of={wallet} rows={2}>
        {(data) => (
          <>
            <Stats>
              <Stat label="Available" hint={payOf(data)}>
                <MoneyFigure usd={data.available_usd} />
              </Stat>
              <Stat label="Balance">
                <MoneyFigure usd={data.balance_usd} />
              </Stat>
              <Stat label="Held" hint="by open turns">
                <MoneyFigure usd={data.held_usd} />
              </Stat>
              <Stat label="Price" hint={SOURCES[data.price_source]}>
                {data.price ?? "as billed"}
              </Stat>
            </Stats>
            <div className="flex flex-wrap gap-2">
              <Button does="creditEndUser" icon="plus" onClick={() => setOpen("credit")}>
                Add credit
              </Button>
              <Button does="putEndUserBilling" onClick={() => setOpen("billing")}>
                Change price or payment
              </Button>
            </div>
            <Suspense>
              {open === "credit" && <CreditDialog wallet={data} test={test} onClose={close} />}
              {open === "billing" && <BillingDialog wallet={data} test={test} onClose={close} />}
            </Suspense>
          </>
        )}
      </Read>
      <Read of={ledger} rows={2}>
        {({ data, has_more }) =>
          data.length > 0 && (
            <>
              <Table
                caption="The newest entries of the wallet"
                rows={data}
                rowKey={({ entry_id }) => String(entry_id)}
                columns={COLUMNS}
                stale={ledger.isPlaceholderData}
              />
              {has_more && limit === FEW && (
                <div>
                  <Button onClick={() => setLimit(MANY)}>Show older entries</Button>
                </div>
              )}
              {has_more && limit === MANY && (
                <p className="text-muted text-xs">
                  These are the newest {MANY} entries. GET /v1/end-users/{"{end_user_ref}"}/ledger lists all.
                </p>
              )}
            </>
          )
        }
      </Read>
    </Section>
  )
}

/** How turns are paid, with a warning if the wallet of a prepaid end user is low. */
function payOf({ prepaid, balance_usd, low_balance_usd }: EndUserBalance) {
  if (!prepaid) return "not prepaid"
  if (balance_usd === 0) return <Status word="no credit" tone="bad" />
  return balance_usd < low_balance_usd ? <Status word="low" tone="warn" /> : "prepaid"
}

const COLUMNS: Column<EndUserLedgerEntry>[] = [
  { title: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Reason", cell: ({ reason }) => reason },
  { title: "Amount", right: true, cell: ({ amount_usd }) => <AlignedMoney usd={amount_usd} /> },
  { title: "Balance", right: true, cell: ({ balance_after_usd }) => <AlignedMoney usd={balance_after_usd} /> },
  {
    title: "For",
    cell: ({ turn_id, note }) => (turn_id ? <Id id={turn_id} href={`/turns/${turn_id}`} /> : (note ?? "–")),
  },
]
