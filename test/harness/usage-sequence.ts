import { ANALYTICS_POLICY } from "../../src/analytics/policies.ts"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { CREDIT_REASONS } from "../../src/billing/buckets.ts"
import { creditAccount } from "../../src/billing/credit-account.ts"
import { sweepPostings } from "../../src/billing/post-charges.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { commitAnswer, commitResults } from "../../src/runs/commit-step.ts"
import { type Outcome, settleTurn } from "../../src/runs/settle-turns.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import { bookCommission } from "./books.ts"
import { claimTurn } from "./claim.ts"
import { contextOf, noQueue } from "./context.ts"
import type { Random } from "./random.ts"
import { finishedStep } from "./steps.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

const PINS = ["rehearsal/standard", "rehearsal/other", "elsewhere/third"]
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const OUTCOMES: Outcome[] = [
  { state: "done", result: "r" },
  { state: "done", result: "r" },
  { state: "failed", code: "INTERNAL", message: "m", ours: true, result: null },
  { state: "failed", code: "MINE", message: "m", ours: false, result: null },
  { state: "cancelled", reason: "client", result: null },
]

interface Open {
  turn: TurnRow
  steps: number
  /** The remaining amount that the turn may cost, in credit micros. */
  left: number
}

interface Place {
  client: TestClient
  spaces: string[]
  isTest?: boolean
}

/**
 * Attributes each call to a pool member, a plan or none, by its turn and step. No other code
 * in these tests selects one.
 */
export async function serveFromPools({ sql }: Pick<World, "sql">): Promise<void> {
  await sql(`create function serve_from_pool() returns trigger language plpgsql as $$ begin
    new.subscription_id := (array[null, '17', 'claude-1', 'rehearsal'])[1 + (new.step + ascii(right(new.turn_id, 1))) % 4];
    return new; end $$`)
  await sql("create trigger served before insert on model_calls for each row execute function serve_from_pool()")
}

/** Random acts on a few accounts: turns of every kind and outcome, money, and rollups. */
export async function usageSequence(world: World, random: Random) {
  const ctx = {
    ...contextOf(world),
    queue: noQueue,
    log: () => {},
  }
  const places: Place[] = []
  for (const [brand, test] of [
    ["turnpike", false],
    ["other", false],
    ["turnpike", true],
  ] as const) {
    const client = await world.createAccount({ usd: test ? 0 : 1 + random.int(20), test, brand })
    places.push({ client, spaces: [await client.space(), await client.space()], isTest: test })
  }
  const [first, second] = places as [Place, Place]
  const browser = await world.signIn(first.client.userId)
  const open: Open[] = []
  const ended: string[] = []
  const done: string[] = []

  const step = (one: Open, calls = 0) => {
    const at = one.steps
    const cost = Math.min(random.int(3000), one.left)
    one.left -= cost
    const made = finishedStep(at, { cost, calls })
    const input = random.int(5000)
    const output = random.int(900)
    const counts = { tokensInput: input, tokensCached: random.int(input + 1), tokensOutput: output }
    const usage = { ...counts, tokensReasoning: random.int(output + 1) }
    return {
      ...made,
      // The first call belongs to the space's own agent.
      ...(at > 0 && random.int(3) === 0 && { agent: "0.0", subagent: "helper" }),
      answer: { ...made.answer, usage },
      pin: random.pick(PINS),
      providerCost: random.pick([cost, random.int(4000)]),
      durationSec: random.int(9_000) / 1000,
    }
  }

  async function send({ client, spaces }: Place, isChat: boolean) {
    const body = { space: random.pick(spaces), text: "hello" }
    const conversation = `c${random.int(1000)}`
    const answer = isChat
      ? await browser.call("POST", "/api/account/chat/turns", { ...body, conversation })
      : await client.sendTurn({ ...body, conversation, end_user_ref: `customer-${random.int(2)}` })
    if (answer.status >= 300) return
    const { turn_id } = await turnOf(answer)
    await world.settled()
    if (random.int(8) === 0) return void (await client.call("POST", `/v1/turns/${turn_id}/cancel`))
    const claim = await claimTurn(ctx, turn_id)
    if (claim) open.push({ turn: claim.turn, steps: 0, left: claim.turn.hold_credit_micros })
  }

  async function commit(one: Open) {
    if (await commitAnswer(ctx, one.turn, step(one), [])) one.steps++
  }

  /** Adds a call of the model whose tools make one or two pictures. */
  async function draw(one: Open) {
    const calls = 1 + random.int(2)
    const made = step(one, calls)
    if (!(await commitAnswer(ctx, one.turn, made, []))) return
    one.steps++
    const pictures = Array.from({ length: calls }, (_, call) => {
      const cost = Math.min(random.int(500), one.left)
      one.left -= cost
      const [model, account] = [random.pick(["openai/picture", "rehearsal/standard"]), random.pick([null, "media"])]
      return {
        call,
        provider: "openai",
        account,
        model,
        price_version: 1,
        cost,
        provider_cost: random.pick([cost, random.int(600)]),
        duration_sec: random.int(9_000) / 1000,
      }
    })
    const results = Object.fromEntries(pictures.map(({ call }) => [call, { type: "text", value: "a" } as const]))
    const nothing = { files: [], containers: {}, events: [] }
    await commitResults(ctx, one.turn, { step: made.step, results, pictures, ...nothing })
  }

  async function settle(one: Open) {
    open.splice(open.indexOf(one), 1)
    const last = random.int(3) > 0 ? { step: step(one) } : {}
    if (await settleTurn(ctx, one.turn, random.pick(OUTCOMES), last)) ended.push(one.turn.turn_id)
  }

  const roll = async () => {
    const policy = ANALYTICS_POLICY as { rollBatch: number; rollBatches: number; mostWindowDays: number }
    Object.assign(policy, { rollBatch: 1 + random.int(6), rollBatches: 1 + random.int(3), mostWindowDays: 7 })
    const match = random.pick(["roll_turns", "roll_ledger", "mark_usage", "close_balances"])
    if (random.int(3) === 0) {
      const when = random.pick(["before", "after"] as const)
      await world.plan([{ service: "pg", match, call: 1, action: "cut", when }])
    }
    await Promise.allSettled(Array.from({ length: 1 + random.int(3) }, () => sweepAnalytics(ctx)))
    await world.clearFaults()
  }

  const noteFailure = () =>
    world.sql(
      "insert into infrastructure_errors (kind, name, code, created_at) select $1, 'n', 'c', $2 from generate_series(1, $3)",
      [random.pick(["container_exec", "model_call"]), world.clock.now(), 1 + random.int(3)],
    )

  const book = () =>
    creditAccount(ctx, {
      userId: random.pick([first, second]).client.userId,
      reason: random.pick(CREDIT_REASONS),
      note: "n",
      micros: 1 + random.int(10_000_000),
      reference: crypto.randomUUID(),
      actor: "operator",
    })
  const commission = () =>
    bookCommission(ctx, { userId: first.client.userId, minor: 1 + random.int(9), source: crypto.randomUUID() })
  const take = () =>
    creditAccount(ctx, {
      userId: second.client.userId,
      reason: "admin_action",
      micros: -1 - random.int(1000),
      note: "n",
      reference: crypto.randomUUID(),
      actor: "operator",
    }).catch(() => {})

  const acts: [string, number, () => Promise<unknown>][] = [
    ["send", 6, () => send(random.pick(places), false)],
    ["chat", 4, () => send(first, true)],
    ["commit", 6, async () => open.length && commit(random.pick(open))],
    ["draw", 2, async () => open.length && draw(random.pick(open))],
    ["fail", 1, () => noteFailure()],
    ["forget failures", 1, () => world.sql("delete from infrastructure_errors where error_id % 3 = 0")],
    ["settle", 6, async () => open.length && settle(random.pick(open))],
    ["roll", 6, roll],
    ["book", 2, book],
    ["commission", 1, commission],
    ["take back", 1, take],
    [
      "refund",
      2,
      async () =>
        ended.length && refundTurn(ctx, { turnId: random.pick(ended), actor: "operator", note: "n" }).catch(() => {}),
    ],
    ["post", 1, () => sweepPostings(ctx)],
    ["erase", 1, () => random.pick(places).client.call("DELETE", "/v1/end-users/customer-0")],
    ["an hour", 3, () => world.advance(random.int(2 * HOUR_MS))],
    ["some days", 1, () => world.advance(random.int(9 * DAY_MS))],
  ]
  const tickets = acts.flatMap((act) => Array<typeof act>(act[1]).fill(act))

  return {
    done,
    roll,
    async next() {
      const [name, , act] = random.pick(tickets)
      done.push(name)
      await act()
    },
    /** Ends all open turns an hour later, so that the next sequence finds none. */
    async finish() {
      await world.advance(HOUR_MS)
      for (const one of [...open]) await settle(one)
    },
  }
}
