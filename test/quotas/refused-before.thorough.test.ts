import { afterAll, beforeAll, expect, test } from "vitest"
import type { Context } from "../../src/actor/context.ts"
import { TurnpikeError } from "../../src/base/errors.ts"
import type { Redis } from "../../src/platform/redis.ts"
import { REFUSAL_POLICY, RefusalMemory } from "../../src/platform/refusal-memory.ts"
import { acceptTurn } from "../../src/turns/accept-turn.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import { runSequences, SEQUENCES } from "../harness/random-sequences.ts"
import type { TurnWish } from "../harness/reference-account.ts"
import { Sequence } from "../harness/reference-model.ts"
import { createWorld, type World } from "../harness/world.ts"

const REFUSALS = ["INSUFFICIENT_CREDITS", "END_USER_CREDIT_SPENT", "QUOTA_EXCEEDED"]

/** The isolates of a sequence. Each knows other refused callers. */
const ISOLATES = 2

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** States of Redis: all is well, no answer, lost writes, late writes, or reads of the past. */
const STATES = ["well", "well", "down", "deaf", "late", "stale"] as const

/** A Redis in memory, by the test's clock, with faults. */
class FaultyRedis {
  state: (typeof STATES)[number] = "well"
  /** When its state was last another one than `well`. */
  faultyAt = Number.NEGATIVE_INFINITY
  private texts = new Map<string, { value: string; until: number }>()
  private past = new Map<string, { value: string; until: number }>()
  private later: (() => void)[] = []
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  enter(state: FaultyRedis["state"]) {
    if (state === "stale") this.past = new Map(this.texts)
    if (this.state === "late") for (const write of this.later.splice(0)) write()
    if (this.state !== "well" || state !== "well") this.faultyAt = this.now()
    this.state = state
  }

  /** It loses all data, or gets back what it had. */
  failOver(isEmpty: boolean) {
    this.texts = isEmpty ? new Map() : new Map(this.past)
    this.faultyAt = this.now()
  }

  private read(key: string): string | null {
    if (this.state === "down") throw new Error("Redis is down")
    const found = (this.state === "stale" ? this.past : this.texts).get(key)
    return found && found.until > this.now() ? found.value : null
  }

  private write(act: () => void) {
    if (this.state === "down") throw new Error("Redis is down")
    if (this.state === "late") this.later.push(act)
    else if (this.state !== "deaf") act()
  }

  readonly client = {
    getAll: async (keys: string[]) => keys.map((key) => this.read(key)),
    set: async (key: string, value: string, { ttlMs, onlyNew }: { ttlMs: number; onlyNew?: boolean }) => {
      if (onlyNew && this.read(key) !== null) return false
      const until = this.now() + ttlMs
      this.write(() => this.texts.set(key, { value, until }))
      return true
    },
    drop: async (key: string) => this.write(() => this.texts.delete(key)),
  } as unknown as Redis
}

/** Random operations in several isolates that remember refusals, while Redis fails in every way. */
class Remembering extends Sequence {
  private readonly redis = new FaultyRedis(() => this.now)
  private readonly contexts: Context[]
  private readonly background: Promise<unknown>[] = []
  private readonly sent: (TurnWish & { id: string })[] = []
  /** When a turn was last refused that PostgreSQL would refuse. */
  private refusedAt = Number.NEGATIVE_INFINITY
  private refusedWish: { key: number; endUser: string } | null = null

  constructor(...[tools, account]: ConstructorParameters<typeof Sequence>) {
    super(tools, account)
    const background = (work: Promise<unknown>) => void this.background.push(work)
    this.contexts = Array.from({ length: ISOLATES }, () => {
      const context = { ...tools.context, background, posting: new Map(), cooling: new Map() }
      const callers = { scopes: new Map(), restsUntil: 0 }
      const refusals = new RefusalMemory(() => this.redis.client, callers, context)
      const ask = refusals.ask.bind(refusals)
      refusals.ask = async (scopes) => {
        const look = await ask(scopes)
        if (look.found.length > 0) this.meets("remembered")
        return look
      }
      return { ...context, refusals }
    })
    this.context = this.contexts[0] as Context
  }

  protected override get more() {
    return [
      "accept",
      "accept",
      "accept",
      "accept",
      "accept",
      "tick",
      "tick",
      "fail",
      "failOver",
      "repeat",
      "topUp",
      "limit",
    ] as const
  }

  protected override get max() {
    return null
  }

  /** Often the caller that was refused last. */
  protected override wish() {
    const wish = super.wish()
    if (this.refusedWish === null || this.random.int(4) === 0) return wish
    return { ...this.refusedWish, conversation: wish.conversation }
  }

  async tick() {
    await this.world.advance(this.random.pick([0, 1, 500, 2000, 4999]))
  }

  async fail() {
    this.redis.enter(this.random.pick(STATES))
  }

  async failOver() {
    this.redis.failOver(this.random.int(2) === 0)
  }

  /** A repeat of an accepted turn gets the turn, whatever is remembered. */
  async repeat() {
    const asked = this.random.pick(this.sent)
    if (!asked) return
    const { made, replayed } = await acceptTurn(this.context, asked.credential, asked)
    expect({ id: made.turn_id, replayed }).toEqual({ id: asked.id, replayed: true })
  }

  protected override async refused(sent: Promise<unknown>, _expected: object, asked: TurnWish): Promise<void> {
    await this.expectRefused(sent)
    const key = this.account.keys.findIndex(({ credential }) => credential === asked.credential)
    this.refusedWish = { key, endUser: asked.body.end_user_ref }
    // The second one in an isolate is remembered.
    for (let again = this.random.int(4); again > 0; again--) {
      await this.rest()
      await this.expectRefused(
        acceptTurn(this.context, asked.credential, { ...asked, idempotencyKey: crypto.randomUUID() }),
      )
    }
  }

  private async expectRefused(sent: Promise<unknown>): Promise<void> {
    const error = await sent.then(
      () => null,
      (cause: unknown) => cause as TurnpikeError,
    )
    expect(error, "PostgreSQL would refuse this turn").toBeInstanceOf(TurnpikeError)
    expect(REFUSALS).toContain(error?.code)
    this.refusedAt = this.now
  }

  /** Waits for the work after the answers. */
  private async rest(): Promise<void> {
    while (this.background.length > 0) await Promise.all(this.background.splice(0))
  }

  protected override async accepted(sent: ReturnType<typeof acceptTurn>, asked: TurnWish): Promise<TurnRow | null> {
    try {
      const { made } = await sent
      this.sent.push({ ...asked, id: made.turn_id })
      return made
    } catch (error) {
      if (!(error instanceof TurnpikeError) || !REFUSALS.includes(error.code)) throw error
      const age = this.now - this.refusedAt
      expect(age, "the age of a refusal that is wrong by now").toBeLessThan(REFUSAL_POLICY.keptMs)
      const since = this.now - this.redis.faultyAt
      expect(this.redis.state !== "well" || since < REFUSAL_POLICY.keptMs, "without a fault no refusal is wrong").toBe(
        true,
      )
      this.meets(`wrong refusal while Redis is ${this.redis.state}`)
      return null
    }
  }

  protected override async compare() {
    await this.rest()
    await super.compare()
    this.context = this.random.pick(this.contexts) as Context
  }
}

// In parts, because each may take as long as a test.
test.each([1, 2, 3, 4])(
  "Part %i of the sequences: no refusal is remembered longer than stated, and no turn is accepted that PostgreSQL refuses",
  async (part) => {
    const start = (...args: ConstructorParameters<typeof Sequence>) => new Remembering(...args)
    const met = await runSequences(world, {
      name: `remembered refusals ${part}`,
      length: 24,
      sequences: SEQUENCES,
      start,
    })
    expect(met.remembered).toBeGreaterThan(SEQUENCES)
  },
)
