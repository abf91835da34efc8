/** The credit of an account at the start, and the price of each turn. */
export const CREDIT = 1_000_000
export const PRICE = 1

export interface CellTurn {
  /** The Idempotency-Key of the request. */
  key: string
  /** Seconds of work that are left, and until the running step is committed. */
  left: number
  step: number
  state: "waiting" | "running" | "done"
}

/** All rows of one account in a cell. Only an open account accepts and runs turns. A gone one is elsewhere. */
export interface Held {
  state: "open" | "frozen" | "gone"
  balance: number
  turns: Map<string, CellTurn>
}

/** A cell: a database with the workers that use it. It knows nothing of other cells. */
export class Cell {
  readonly id: number
  readonly accounts = new Map<number, Held>()
  /** The accepted turns, by account, since the planner last read them. */
  readonly accepted = new Map<number, number>()

  constructor(id: number) {
    this.id = id
  }

  /** Accepts a turn once. `moved`: the account is not here. `busy`: it moves, so the caller repeats its request. */
  accept(account: number, { key, work, step }: { key: string; work: number; step: number }): "done" | "moved" | "busy" {
    const held = this.accounts.get(account)
    if (!held || held.state === "gone") return "moved"
    if (held.turns.has(key)) return "done"
    if (held.state === "frozen") return "busy"
    held.turns.set(key, { key, left: work, step, state: "waiting" })
    this.accepted.set(account, (this.accepted.get(account) ?? 0) + 1)
    return "done"
  }

  /** Works for a second. Calls `ended` for each turn that ends. Frozen accounts only finish the step that runs. */
  work(stepSeconds: () => number, ended: (account: number, key: string) => void): void {
    for (const [account, held] of this.accounts) {
      if (held.state === "gone") continue
      for (const turn of held.turns.values()) {
        if (turn.state === "waiting" && held.state === "open") turn.state = "running"
        if (turn.state !== "running") continue
        turn.left--
        turn.step--
        if (turn.left <= 0) {
          turn.state = "done"
          held.balance -= PRICE
          ended(account, turn.key)
        } else if (turn.step <= 0) {
          turn.step = stepSeconds()
          // After each step the turn could go to another worker, so it may also go to another cell.
          turn.state = "waiting"
        }
      }
    }
  }
}

export const runsTurns = ({ turns }: Held) => [...turns.values()].some(({ state }) => state === "running")

/** A copy of all rows of an account, which replaces an earlier copy. */
export const copyOf = ({ balance, turns }: Held): Held => ({
  state: "frozen",
  balance,
  turns: new Map([...turns].map(([key, turn]) => [key, { ...turn }])),
})
