import type { CapRow } from "../quotas/cap-state.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import type { HoldBound } from "./grow-hold.ts"

type Amounts = Pick<
  TurnRow,
  "hold_credit_micros" | "cost_credit_micros" | "rehearsed_hold_credit_micros" | "rehearsed_cost_credit_micros"
>

/** The credit that a turn can spend in this run, rehearsed in a test turn. All amounts are credit micros. */
export class Budget {
  hold: number
  cost: number
  /** The limit that bounded the hold when it last grew. */
  boundBy: HoldBound | null = null
  cap: CapRow | null = null
  private reserved = 0
  private waiting: (() => void)[] = []

  constructor(turn: Amounts) {
    this.hold = turn.rehearsed_hold_credit_micros ?? turn.hold_credit_micros
    this.cost = turn.rehearsed_cost_credit_micros ?? turn.cost_credit_micros
  }

  get left(): number {
    return this.hold - this.cost - this.reserved
  }

  get isReserved(): boolean {
    return this.reserved > 0
  }

  /** Reserves the worst case of a call. Returns the function that releases it. */
  reserve(micros: number): () => void {
    this.reserved += micros
    return () => {
      this.reserved -= micros
      for (const wake of this.waiting.splice(0)) wake()
    }
  }

  /** Resolves when a running call has released its reservation. */
  freed(): Promise<void> {
    return new Promise((wake) => this.waiting.push(wake))
  }
}
