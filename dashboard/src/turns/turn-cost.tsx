import type { Turn } from "../api/operations.ts"
import { AlignedMoney } from "../ui/figures.tsx"
import { Money } from "../ui/values.tsx"

type Costs = Pick<Turn, "billed_cost_usd" | "held_usd" | "refunded_usd">

/** The cost of a turn in a list: its hold while it is open, then its bill, which a refund does not change. */
export const TurnCost = ({ of: { billed_cost_usd, held_usd, refunded_usd } }: { of: Costs }) =>
  held_usd > 0 ? (
    <span className="text-muted">
      holds <Money usd={held_usd} />
    </span>
  ) : (
    <span className="inline-flex flex-col items-end">
      <AlignedMoney usd={billed_cost_usd} />
      {refunded_usd > 0 && <span className="text-muted text-xs">refunded</span>}
    </span>
  )
