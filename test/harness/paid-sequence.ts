import { expect } from "vitest"
import { sweepExpiredTurns } from "../../src/ending/causes.ts"
import { sweepTurns } from "../../src/runs/sweep-turns.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { advanceTurn } from "./claim.ts"
import { type Blip, mortalWorker } from "./mortal-worker.ts"
import { expectPromises } from "./promises.ts"
import type { Random } from "./random.ts"
import {
  type Asked,
  arrived,
  PROVIDED_PIN,
  type ProviderScript,
  SCRIPTED_TOKENS,
  type SentAnswer,
  type scriptProvider,
  tokensOf,
} from "./scripted-provider.ts"
import type { TestClient, World } from "./world.ts"

/**
 * The number of workers after the turn's time limit that must suffice to end it: one may find
 * another worker's claim, and one may have to wait.
 */
const CALM_WORKERS = 3

const CODES = ["INTERNAL", "ENGINE_LOST", "MODEL_UNAVAILABLE", "MODEL_REJECTED", "OUT_OF_STOCK"]

/**
 * The provider's behaviour: tools, text and thoughts at any pace, an interruption at any point,
 * with or without token counts, or a refusal.
 */
export function randomScript(random: Random, { messages, tools = [] }: Asked, n: number): ProviderScript {
  const names = tools.map((tool) => tool.function.name)
  const pauseMs = random.pick([0, 500, 4000, 20_000])
  const counts = random.int(4) > 0
  const used = messages.filter(({ role }) => role === "tool").length
  if (random.int(12) === 0) return { status: random.pick([503, 429, 400]) }
  if (names.includes("delegate") && used < 4 && random.int(2)) {
    const task = JSON.stringify({ agent: "researcher", task: "Find out." })
    const calls = Array.from({ length: 1 + random.int(3) }, () => ({ name: "delegate", arguments: task }))
    return { calls, counts, thinking: pieces(`t${n}`, random.int(3)), pauseMs }
  }
  const [thinking, words] = [pieces(`t${n}`, random.int(4)), pieces(`w${n}`, random.int(20))]
  const at = random.int(thinking.length + words.length + 1)
  const how = random.pick([{}, {}, {}, { breaksAfter: at }, { silentAfter: at }])
  return { thinking, words, pauseMs, counts, ...how }
}

const pieces = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}_${index} `)

/** A turn text for the rehearsal model that delegates to the provider's model and ends at random. */
function randomText(random: Random): string {
  const lines = [`[use input=${random.int(100)} output=${random.int(100)}]`]
  for (let calls = 1 + random.int(3); calls > 0; calls--) {
    lines.push(`[${lines.length > 1 && random.int(2) ? "and " : ""}delegate researcher Find out.]`)
  }
  lines.push(
    ...random.pick([
      [`[fail ${random.pick(CODES)}]`],
      ["[reply Done.]"],
      ["[stream 3000 ms]", "[reply One word after another, slowly.]"],
    ]),
  )
  return lines.join("\n")
}

interface StepFacts {
  text: string
  content: string
  finish: string
  model: string
  cost: number
  billed: number
  tokens_input: number
  tokens_output: number
}

export interface Met {
  /**
   * Counts of how turns and calls ended, and losses by cause: calls, and credit micros by the
   * provider's count.
   */
  ends: Record<string, number>
  calls: Record<string, number>
  lost: Record<string, { calls: number; micros: number }>
}

/** One turn with random events, and its bill computed from the provider's own count. */
export class PaidSequence {
  private readonly world: World
  private readonly provider: ReturnType<typeof scriptProvider>
  private readonly random: Random
  private readonly met: Met
  /** Workers that were killed or gave up. Their uncommitted work is lost. */
  private readonly gone = new Set<string>()
  private readonly noted: Record<string, unknown>[] = []
  private outageUntil = 0

  constructor(world: World, provider: PaidSequence["provider"], { random, met }: { random: Random; met: Met }) {
    this.world = world
    this.provider = provider
    this.random = random
    this.met = met
  }

  async run(client: TestClient, space: string): Promise<void> {
    const { random, world } = this
    const first = this.provider.sent.length
    const body = random.int(2) ? { model: PROVIDED_PIN } : { model: "rehearsal/standard", text: randomText(random) }
    const max = random.int(4) === 0 ? { max_cost_usd: (500 + random.int(40_000)) / 1e7 } : {}
    const timeout_seconds = random.pick([20, 100, 600, 3600])
    const response = await client.sendTurn({
      space,
      timeout_seconds,
      ...body,
      ...max,
    })
    if (response.status === 422)
      return expect(await response.json()).toMatchObject({ error: { code: "COST_LIMIT_TOO_LOW" } })
    const { turn_id } = (await response.json()) as { turn_id: string }
    await world.settled()
    await this.untilEnded(client, turn_id, timeout_seconds)
    await this.compare(turn_id, first)
    await expectPromises(world, client.userId)
  }

  /**
   * Workers die and lose database calls during the turn's time limit. Afterwards a few workers
   * without faults end the turn.
   */
  private async untilEnded(client: TestClient, turnId: string, timeoutSeconds: number): Promise<void> {
    const { random, world } = this
    const cancelAt = random.int(4) === 0 ? world.clock.ms() + random.int(120_000) : Number.POSITIVE_INFINITY
    const troubledUntil = world.clock.ms() + timeoutSeconds * 1000
    // The turn may have started at the very end of that time, or a worker may have died with its lease.
    const overBy = troubledUntil + timeoutSeconds * 1000 + TURN_POLICY.leaseMs
    const blips = random.pick([0, 0, 12, 30])
    const isDeadly = random.int(10) === 0
    let cancelling: Promise<unknown> | undefined
    for (let n = 0, calm = 0; calm <= CALM_WORKERS; n++) {
      const isTroubled = world.clock.ms() < troubledUntil
      if (world.clock.ms() > overBy) calm++
      const blip = () => (isTroubled ? this.blip(blips) : null)
      const worker = mortalWorker(world, this.provider, { name: `${turnId} ${n}`, blip })
      const isKilled = isTroubled && random.int(isDeadly ? 1 : 6) === 0
      const killAt = isKilled ? world.clock.ms() + random.int(isDeadly ? 9_000 : 60_000) : Number.POSITIVE_INFINITY
      const run = { result: "" }
      const running = advanceTurn(worker.ctx, turnId).then(
        (result) => {
          run.result = result
        },
        () => {
          run.result = "gave up"
        },
      )
      while (run.result === "") {
        await Promise.race([running, world.sql("select 1")])
        if (run.result !== "") break
        if (world.clock.ms() >= killAt) run.result = "killed"
        if (world.clock.ms() >= cancelAt) cancelling ??= client.call("POST", `/v1/turns/${turnId}/cancel`)
        if (isTroubled && random.int(400) === 0) this.outageUntil = world.clock.ms() + random.int(20_000)
        if (run.result === "") world.clock.advance(random.pick([250, 1000, 1000, 3000]))
      }
      this.noted.push(...worker.lost)
      if (run.result === "killed" || run.result === "gave up") {
        worker.kill()
        this.gone.add(worker.name)
        // Lets the lease expire.
        world.clock.advance(TURN_POLICY.leaseMs + 1)
      } else world.clock.advance(2000)
      this.outageUntil = 0
      const sweeper = mortalWorker(world, this.provider, { name: "sweeper" }).ctx
      await sweepTurns(sweeper)
      await sweepExpiredTurns(sweeper)
      const [turn] = await world.sql<{ ended: boolean }>(
        "select finished_at is not null as ended from turns where turn_id = $1",
        [turnId],
      )
      if (!turn?.ended) continue
      world.clock.advance(5000)
      await cancelling
      return
    }
    const [left] = await world.sql("select to_jsonb(o) as row from open_turns o where o.turn_id = $1", [turnId])
    throw new Error(`the turn does not end: ${JSON.stringify(left)} at ${world.clock.now().toISOString()}`)
  }

  private blip(oneIn: number): Blip {
    if (this.world.clock.ms() < this.outageUntil) return "before"
    return oneIn > 0 && this.random.int(oneIn) === 0 ? this.random.pick(["before", "after"]) : null
  }

  /** Compares the turn's books with the provider's record of its answers. */
  private async compare(turnId: string, first: number): Promise<void> {
    const { world, met } = this
    const [turn] = await world.sql<{
      state: string
      code: string | null
      lost: boolean
      hold: number
      billed: number
      cost: number
    }>(
      `select state, error_code as code, failed_by_us as lost, hold_credit_micros::float8 as hold,
         billed_credit_micros::float8 as billed, cost_credit_micros::float8 as cost from turns where turn_id = $1`,
      [turnId],
    )
    const steps = await world.sql<StepFacts>(
      `select s.text, s.text || s.content::text as content, s.finish, u.model, u.cost_credit_micros::float8 as cost,
         u.billed_credit_micros::float8 as billed, u.tokens_input::float8 as tokens_input, u.tokens_output::float8 as tokens_output
       from turn_steps s join usage u on u.turn_id = s.turn_id and u.step = s.step where s.turn_id = $1`,
      [turnId],
    )
    const losses = await world.sql<{ cause: string; micros: number | null }>(
      "select cause, credit_micros::float8 as micros from losses where turn_id = $1",
      [turnId],
    )
    if (!turn) throw new Error("the turn is gone")
    met.ends[turn.code ?? turn.state] = (met.ends[turn.code ?? turn.state] ?? 0) + 1
    expect(turn.billed, "the bill is within the hold").toBeLessThanOrEqual(turn.hold)
    const sum = steps.reduce((all, { cost }) => all + cost, 0)
    expect(turn.cost, "each committed call is billed once").toBe(sum)
    expect(turn.billed, "all calls are billed, or none if the turn was lost by us").toBe(turn.lost ? 0 : sum)
    if (turn.lost) expect(turn.code, "only when no worker holds the turn any more").toBe("ENGINE_LOST")
    if (turn.lost && sum > 0) expect(losses).toContainEqual({ cause: "engine_lost", micros: sum })
    const lostByWorkers = this.explain(turn, steps, this.provider.sent.slice(first))
    if (lostByWorkers > 0) expect(losses.length, "the loss has a cause").toBeGreaterThan(0)
  }

  private explain(turn: { hold: number; lost: boolean }, steps: StepFacts[], calls: SentAnswer[]): number {
    const unnoted = [...this.noted]
    let lostMicros = 0
    let thoughtOnly = 0
    const thoughtOnlyOfGone: SentAnswer[] = []
    // A call that was cut during a thought is a step without text, so nothing in the step identifies the call.
    const textless = steps.filter(
      ({ finish, text, model }) => finish === "aborted" && text === "" && model === PROVIDED_PIN,
    )
    for (const sent of calls) {
      const made = new RegExp(`\\b[wt]${sent.n}_|"call_${sent.n}_`)
      const [step, ...twice] = steps.filter(({ content, model }) => model === PROVIDED_PIN && made.test(content))
      expect(twice, "no call is billed twice").toEqual([])
      const words = arrived(sent, sent.words)
      const isThought = words.length === 0 && arrived(sent, sent.thoughts).length > 0
      if (step) this.expectPrice(step, sent)
      else if (this.gone.has(sent.worker) && isThought) thoughtOnlyOfGone.push(sent)
      else if (this.gone.has(sent.worker)) lostMicros += this.lose("worker", sent)
      else if (words.length > 0) {
        // A call is recorded as lost if another worker took over its turn, or if it exceeded the hold.
        expect(unnoted.pop(), `call ${sent.n} sent output but is neither billed nor lost`).toBeDefined()
        lostMicros += this.lose("noted", sent)
      } else {
        if (isThought) thoughtOnly++
        this.lose("nothing said", sent)
      }
    }
    expect(thoughtOnly, "thoughts are billed or recorded as lost").toBeLessThanOrEqual(textless.length + unnoted.length)
    // A dead worker may have committed such a step earlier. Calls without a step are lost.
    const committed = Math.max(0, textless.length - thoughtOnly)
    for (const sent of thoughtOnlyOfGone.slice(committed)) lostMicros += this.lose("worker", sent)
    const workers = this.gone.size
    expect(lostMicros, "the hold bounds our cost of lost workers").toBeLessThanOrEqual(turn.hold * Math.max(1, workers))
    return lostMicros
  }

  private expectPrice(step: StepFacts, sent: SentAnswer): void {
    const { met } = this
    const kind = step.finish === "aborted" ? "cut" : sent.counts ? "whole" : "whole, not counted"
    met.calls[kind] = (met.calls[kind] ?? 0) + 1
    const all = [...sent.thoughts, ...sent.words].map(({ text }) => text).join("")
    expect(all).toContain(step.text)
    if (kind === "whole") {
      expect([step.tokens_input, step.tokens_output], "the provider's count takes precedence").toEqual([
        SCRIPTED_TOKENS,
        tokensOf(sent),
      ])
    } else if (kind === "cut" && !(sent.counts && step.tokens_output === tokensOf(sent))) {
      // A call that was cut after the provider's count has that count. Otherwise the estimate is
      // one token per four streamed bytes, including thoughts.
      expect(step.tokens_output).toBeGreaterThanOrEqual(Math.ceil(step.text.length / 4))
      expect(step.tokens_output).toBeLessThanOrEqual(Math.ceil(all.length / 4))
    }
    const price = step.tokens_input * 30 + step.tokens_output * 150
    expect(step.cost, "the cost at the model's prices").toBe(price)
  }

  private lose(cause: string, sent: SentAnswer): number {
    const { lost } = this.met
    const pieces = [...arrived(sent, sent.words), ...arrived(sent, sent.thoughts)].length
    const micros = pieces === 0 ? 0 : SCRIPTED_TOKENS * 30 + (2 * pieces + 1) * 150
    lost[cause] ??= { calls: 0, micros: 0 }
    lost[cause].calls++
    lost[cause].micros += micros
    return micros
  }
}
