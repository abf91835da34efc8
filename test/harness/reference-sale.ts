import type { Random } from "./random.ts"
import type { ModelTurn } from "./reference-caps.ts"
import { open } from "./reference-caps.ts"

/** A price of the reference model. Multipliers are in millionths, amounts in credit micros. */
export interface ModelPrice {
  multiplier: number
  /** The multiplier of the model that turns use; null: `multiplier`. */
  ofModel: number | null
  perTurn: number
  roundTo: number
  mode: "up" | "nearest" | "down"
}

export function randomPrice(random: Random): ModelPrice {
  const multiplier = () => random.pick([0, 500_000, 1_000_000, 1_234_567, 3_000_000])
  return {
    multiplier: multiplier(),
    ofModel: random.int(2) ? multiplier() : null,
    perTurn: random.pick([0, 0, 7, 100_000]),
    roundTo: random.pick([1, 1, 10, 1000, 100_000]),
    mode: random.pick(["up", "nearest", "down"] as const),
  }
}

/** `micros` times `multiplier` plus the amount per turn, rounded with integers of any size. */
function priced(price: ModelPrice | null, multiplier: number, micros: number, mode: ModelPrice["mode"]): number {
  if (!price) return micros
  const exact = BigInt(multiplier) * BigInt(micros) + BigInt(price.perTurn) * 1_000_000n
  const unit = BigInt(price.roundTo) * 1_000_000n
  const rest = exact % unit
  const isUp = rest > 0n && (mode === "up" || (mode === "nearest" && rest * 2n >= unit))
  return Number((exact / unit + (isUp ? 1n : 0n)) * BigInt(price.roundTo))
}

/** The most that a turn with this hold can be charged. */
export const mostCharged = (price: ModelPrice | null, hold: number) =>
  priced(price, price ? Math.max(price.multiplier, price.ofModel ?? 0) : 0, hold, "up")

export const chargeOf = (price: ModelPrice | null, billed: number) =>
  priced(price, price ? (price.ofModel ?? price.multiplier) : 0, billed, price?.mode ?? "up")

/** The greatest hold, at most `most`, for which `credit` pays. Found by halving; -1 if every hold needs more. */
export function holdWithin(price: ModelPrice | null, credit: number, most: number): number {
  let [low, high] = [-1, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (mostCharged(price, middle) <= credit) low = middle
    else high = middle - 1
  }
  return low
}

/** The hold of a turn in its end user's wallet. */
const heldFor = (turn: ModelTurn) => (turn.gaveBack ? 0 : mostCharged(turn.price ?? null, turn.hold))

/** The wallets and prices of an account's end users. */
export class ModelSales {
  readonly balances: Record<string, number> = {}
  readonly prices: Record<string, ModelPrice | null> = {}
  readonly prepaid: Record<string, boolean> = {}
  private readonly turns: ModelTurn[]

  constructor(turns: ModelTurn[]) {
    this.turns = turns
  }

  balance(ref: string): number {
    return this.balances[ref] ?? 0
  }

  held(ref: string): number {
    return this.turns
      .filter((turn) => turn.prepaid && turn.endUser === ref && open(turn))
      .reduce((sum, turn) => sum + heldFor(turn), 0)
  }

  /** By how much the hold of a turn can grow; any amount without a wallet. */
  room(turn: ModelTurn, wanted: number): number {
    if (!turn.prepaid) return wanted
    const price = turn.price ?? null
    const credit = this.balance(turn.endUser) - this.held(turn.endUser) + heldFor(turn)
    return holdWithin(price, credit, turn.hold + wanted) - turn.hold
  }

  /** Charges a turn that has ended. */
  end(turn: ModelTurn, isFree: boolean): void {
    if (!turn.prepaid && !turn.price) return
    turn.charge =
      isFree || turn.steps === 0 || (turn.prepaid && heldFor(turn) === 0)
        ? 0
        : chargeOf(turn.price ?? null, turn.billed)
    if (turn.prepaid) this.balances[turn.endUser] = this.balance(turn.endUser) - turn.charge
  }
}
