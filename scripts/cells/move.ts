import { type Cell, copyOf, type Held, runsTurns } from "./cell.ts"

/** The cell of each account. It is global, and changes only when an account moves. */
export type Directory = Map<number, Cell>

/** The phases of a move. Each is stored before it begins, and can be repeated after a crash. */
const PHASES = ["copy", "freeze", "drain", "copy_rest", "switch", "open", "forget", "over"] as const

/** Moves one account to another cell, a phase or a part of one in each second. */
export class Move {
  readonly account: number
  readonly from: Cell
  readonly to: Cell
  /** The seconds in which the account accepted nothing. */
  pause = 0
  #phase = 0
  #copied = 0
  readonly #isFenced: boolean

  /** `isFenced`: false leaves out freezing and draining, to show that the checks find it. */
  constructor(account: number, { from, to, isFenced }: { from: Cell; to: Cell; isFenced: boolean }) {
    this.account = account
    this.from = from
    this.to = to
    this.#isFenced = isFenced
  }

  get isOver(): boolean {
    return PHASES[this.#phase] === "over"
  }

  /** Works for a second. `crashes`: the mover dies after the effect of a phase, and before it has stored the next one. */
  work(directory: Directory, crashes: () => boolean, rowsPerSecond: number): void {
    const old = this.#held(this.from)
    if (this.to.accounts.get(this.account)?.state !== "open" && old.state === "frozen") this.pause++
    if (!this.#isDone(old, directory, rowsPerSecond) || crashes()) return
    this.#phase++
  }

  #isDone(old: Held, directory: Directory, rowsPerSecond: number): boolean {
    switch (PHASES[this.#phase]) {
      case "copy":
        // The history is copied while the account works on. Only what changes later is copied during the pause.
        this.#copied += rowsPerSecond
        return this.#copied >= old.turns.size
      case "freeze":
        if (this.#isFenced) old.state = "frozen"
        return true
      case "drain":
        return !this.#isFenced || !runsTurns(old)
      case "copy_rest":
        this.to.accounts.set(this.account, copyOf(old))
        return true
      case "switch":
        directory.set(this.account, this.to)
        return true
      case "open":
        this.#held(this.to).state = "open"
        return true
      case "forget":
        old.state = "gone"
        old.turns.clear()
        return true
      default:
        return false
    }
  }

  #held(cell: Cell): Held {
    const held = cell.accounts.get(this.account)
    if (!held) throw new Error(`Cell ${cell.id} does not have account ${this.account}.`)
    return held
  }
}
