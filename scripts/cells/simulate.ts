import { createRandom } from "../../test/harness/random.ts"
import { Cell, CREDIT, PRICE } from "./cell.ts"
import { type Directory, Move } from "./move.ts"
import { planMoves, sumOf } from "./plan-moves.ts"

export interface CellOptions {
  seed: number
  accounts: number
  /** The load grows from `from` to `to` turns per second within this time. */
  seconds: number
  from: number
  to: number
  /** The turns per second that one cell can take. */
  capacity: number
  /** How often a mover dies in a phase of a move, from 0 to 1. */
  crashes: number
  /** False: moves neither freeze nor drain an account. */
  isFenced?: boolean
}

interface Moment {
  second: number
  offered: number
  cells: number
  /** The load of the fullest cell as a share of its capacity. */
  fullest: number
  moves: number
}

const PLAN_EVERY = 20
const ROUTERS = 8
/** How long a router uses what it has read from the directory, in seconds. */
const ROUTER_KEEPS = 30
const ROWS_PER_SECOND = 200
/** The share of answers that a client does not get, so that it repeats its request. */
const LOST_ANSWERS = 0.01

interface Sent {
  account: number
  key: string
  work: number
  step: number
}

/** Simulates a service that grows from one cell to several. The same options give the same report. */
export function simulateCells({ isFenced = true, ...options }: CellOptions) {
  const { seed, accounts, seconds, from, to, capacity, crashes } = options
  const random = createRandom("cells", seed)
  const chance = (share: number) => random.int(1_000_000) < share * 1_000_000
  const between = (least: number, most: number) => least + random.int(most - least + 1)
  const stepSeconds = () => between(2, 8)
  const cells = [new Cell(0)]
  const directory: Directory = new Map()
  for (let account = 0; account < accounts; account++) {
    directory.set(account, cells[0] as Cell)
    cells[0]?.accounts.set(account, { state: "open", balance: CREDIT, turns: new Map() })
  }
  const pick = chooseAccount(accounts, random.int)
  const known = Array.from({ length: ROUTERS }, () => new Map<number, { cell: Cell; until: number }>())
  const ends = new Map<string, number>()
  const moves: Move[] = []
  const moments: Moment[] = []
  const count = { sent: 0, busy: 0, rerouted: 0, crashed: 0 }
  let waiting: Sent[] = []

  /** Sends a request through a router. True if the client has its answer. */
  function send({ account, ...turn }: Sent, second: number): boolean {
    const router = known[random.int(ROUTERS)] as Map<number, { cell: Cell; until: number }>
    const cached = router.get(account)
    let cell = cached && cached.until > second ? cached.cell : undefined
    for (;;) {
      const isFresh = cell === undefined
      cell ??= directory.get(account) as Cell
      router.set(account, { cell, until: second + ROUTER_KEEPS })
      const answer = cell.accept(account, turn)
      if (answer === "done") return !chance(LOST_ANSWERS)
      if (answer === "busy" || isFresh) {
        count.busy++
        return false
      }
      count.rerouted++
      cell = undefined
    }
  }

  const isOver = () => waiting.length === 0 && moves.every((move) => move.isOver) && ends.size >= count.sent
  for (let second = 0; second < seconds || (!isOver() && second < 3 * seconds); second++) {
    const offered = second < seconds ? from + ((to - from) * second) / seconds : 0
    const requests = waiting
    waiting = []
    for (let nth = Math.floor(offered) + (chance(offered % 1) ? 1 : 0); nth > 0; nth--) {
      requests.push({
        account: pick(),
        key: `turn-${++count.sent}`,
        work: between(5, 40),
        step: stepSeconds(),
      })
    }
    for (const request of requests) if (!send(request, second)) waiting.push(request)
    for (const cell of cells) {
      cell.work(stepSeconds, (_account, key) => ends.set(key, (ends.get(key) ?? 0) + 1))
    }
    const dies = () => {
      const dead = chance(crashes)
      if (dead) count.crashed++
      return dead
    }
    for (const move of moves) if (!move.isOver) move.work(directory, dies, ROWS_PER_SECOND)
    if (second % PLAN_EVERY !== PLAN_EVERY - 1 || second >= seconds) continue
    const moving = new Set(moves.filter((move) => !move.isOver).map(({ account }) => account))
    const fullest = Math.max(...cells.map((cell) => sumOf(cell.accepted.values()))) / PLAN_EVERY / capacity
    for (const { account, ...cellsOf } of planMoves(cells, { directory, capacity, seconds: PLAN_EVERY, moving })) {
      moves.push(new Move(account, { ...cellsOf, isFenced }))
    }
    for (const cell of cells) cell.accepted.clear()
    moments.push({ second: second + 1, offered, cells: cells.length, fullest, moves: moves.length })
  }

  const books = sumOf([...directory].map(([account, cell]) => CREDIT - (cell.accounts.get(account)?.balance ?? 0)))
  const pauses = moves.map(({ pause }) => pause).sort((a, b) => a - b)
  return {
    moments,
    turns: count.sent,
    /** Turns that did not end, and turns that ended more than once. */
    lost: count.sent - ends.size,
    doubled: [...ends.values()].filter((times) => times > 1).length,
    /** The charges by the balances, minus the price of all turns. */
    misbooked: books - PRICE * count.sent,
    moves: moves.length,
    movedAccounts: new Set(moves.map(({ account }) => account)).size,
    crashed: count.crashed,
    /** Requests that had to be repeated during a move, and requests that a router sent to an old cell first. */
    busy: count.busy,
    rerouted: count.rerouted,
    pause: { median: pauses[Math.floor(pauses.length / 2)] ?? 0, longest: pauses.at(-1) ?? 0 },
  }
}

/** Chooses accounts as real load does: the n-th largest has a share of about 1 / n. */
function chooseAccount(accounts: number, int: (below: number) => number): () => number {
  const ends: number[] = []
  for (let account = 0; account < accounts; account++) ends.push((ends.at(-1) ?? 0) + 1 / (account + 1) ** 0.9)
  const all = ends.at(-1) ?? 0
  return () => {
    const at = (int(1_000_000_000) / 1_000_000_000) * all
    let [low, high] = [0, accounts - 1] as [number, number]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) > at) high = middle
      else low = middle + 1
    }
    return low
  }
}
