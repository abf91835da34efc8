import { Suspense, useState } from "react"
import type { AdminTurn } from "../api/operations.ts"
import { Button } from "../ui/button.tsx"
import { lazyPart } from "../ui/lazy-part.tsx"
import { Money } from "../ui/values.tsx"
import { TurnActs } from "./turn-acts.tsx"
import { isOpenTurn } from "./turn-words.ts"

const ActDialog = lazyPart(() => import("./any-turn-dialog.tsx").then((module) => ({ default: module.AnyTurnDialog })))

const RefundDialog = lazyPart(() =>
  import("./refund-turn-dialog.tsx").then((module) => ({ default: module.RefundTurnDialog })),
)

/** The actions of an operator on a turn of any account. */
export function AnyTurnActions({ of }: { of: AdminTurn }) {
  const { turn } = of
  const [open, setOpen] = useState<"cancel" | "raise" | "refund" | null>(null)
  const isOpen = isOpenTurn(turn.state)
  const isRefundable = turn.billed_cost_usd > 0 && turn.refunded_usd === 0
  const close = () => setOpen(null)
  if (!isOpen && !isRefundable && open === null) return null
  return (
    <TurnActs>
      {isOpen && turn.max_cost_usd !== null && <Button onClick={() => setOpen("raise")}>Raise max cost</Button>}
      {isOpen && (
        <Button kind="danger" onClick={() => setOpen("cancel")}>
          Cancel turn
        </Button>
      )}
      {isRefundable && <Button onClick={() => setOpen("refund")}>Refund</Button>}
      <Suspense>
        {open === "refund" ? (
          <RefundDialog
            turnId={turn.turn_id}
            amount={turn.billed_cost_usd}
            entries={of.ledger}
            wallet={<Wallet of={of} />}
            onClose={close}
          />
        ) : (
          open && <ActDialog turn={turn} what={open} onClose={close} />
        )}
      </Suspense>
    </TurnActs>
  )
}

/** The effect of a refund on the wallet of the end user. */
const Wallet = ({ of: { turn, wallet_charge_usd } }: { of: AdminTurn }) =>
  wallet_charge_usd > 0 ? (
    <>
      The prepaid wallet of {turn.end_user_ref} gets its charge of <Money usd={wallet_charge_usd} /> back.
    </>
  ) : (
    "No prepaid wallet paid for this turn."
  )
