import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepWaits } from "../../src/waits/sweep-waits.ts"
import { quietContextOf } from "../harness/context.ts"
import { BARE } from "../harness/customer.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { passTime } from "../harness/time.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { plantWaits } from "../harness/waiting-plants.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type World } from "../harness/world.ts"

const ROUNDS = Number((bindings as unknown as { TURNPIKE_ROUNDS: string }).TURNPIKE_ROUNDS) || 40

let world: World
let customer: ReturnType<typeof serveTools>
let context: ReturnType<typeof quietContextOf>
beforeAll(async () => {
  world = await createWorld()
  customer = serveTools(world)
  context = quietContextOf(world)
})
afterAll(() => world.close())

const effectsOf = (turnId: string) => [...customer.effects.keys()].filter((key) => key.startsWith(turnId)).length

async function waitingTurn(body: object = {}) {
  const client = await world.createAccount()
  const all = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
  const space = await all.space({ tools: [refundTool()] })
  const turn = await sendUntilItWaits(world, all, { space, text: refundText(80), ...body })
  return { client: all, turn, space }
}

test(`Fifty decisions at once have one winner, in ${ROUNDS} rounds`, async () => {
  const random = createRandom("decisions at once")
  const won: Record<string, number> = {}
  for (let round = 0; round < ROUNDS; round++) {
    const { client, turn } = await waitingTurn()
    const sent = Array.from({ length: 50 }, () => (random.int(2) ? "allow" : "deny"))
    const answers = await Promise.all(sent.map((decision) => waiter(client).decide(turn.turn_id, { decision })))
    const winner = (await waiter(client).events(turn.turn_id)).filter(({ type }) => type === "call.decided")
    expect(winner, `seed ${random.seed}`).toHaveLength(1)
    const decision = winner[0]?.data.decision as string
    won[decision] = (won[decision] ?? 0) + 1
    expect(answers.map(({ status }) => status)).toEqual(sent.map((one) => (one === decision ? 200 : 409)))
    await world.drain()
    expect(effectsOf(turn.turn_id)).toBe(decision === "allow" ? 1 : 0)
    await expectPromises(world, client.userId)
  }
  console.log(`seed ${random.seed}, won ${JSON.stringify(won)}`)
})

test.each(["cancel", "erasure", "expiry"])(
  `A decision that races with %s leaves one end and at most one call, in ${ROUNDS} rounds`,
  async (other) => {
    const random = createRandom(`decision against ${other}`)
    const ends: Record<string, number> = {}
    for (let round = 0; round < ROUNDS; round++) {
      const { client, turn } = await waitingTurn(other === "expiry" ? { max_wait_seconds: 60 } : {})
      if (other === "expiry") await world.advance(60_000)
      const against = () => {
        if (other === "cancel") return client.call("POST", `/v1/turns/${turn.turn_id}/cancel`)
        return other === "erasure" ? client.call("DELETE", "/v1/end-users/customer-1") : world.sweep()
      }
      const decide = () => waiter(client).decide(turn.turn_id, { decision: "allow" })
      const isFirst = random.int(2) === 0
      // A cancel that comes second waits until no call can start, so time has to pass.
      const both = Promise.all(isFirst ? [decide(), against()] : [against(), decide()])
      const [first, second] = await passTime(world, both)
      const decided = (isFirst ? first : second) as Awaited<ReturnType<typeof decide>>
      expect([200, 409], `seed ${random.seed}`).toContain(decided.status)
      for (let n = 0; n < 3; n++) {
        await world.drain()
        await world.sweep()
      }
      const [row] = await world.sql<{ state: string }>("select state from turns where turn_id = $1", [turn.turn_id])
      if (decided.status === 409) expect(effectsOf(turn.turn_id)).toBe(0)
      expect(effectsOf(turn.turn_id)).toBeLessThanOrEqual(1)
      const end = `${decided.status} ${row?.state}`
      ends[end] = (ends[end] ?? 0) + 1
      await expectPromises(world, client.userId)
    }
    console.log(`seed ${random.seed}, ${JSON.stringify(ends)}`)
  },
)

test(`A raise that races with the sweeper lets the turn continue once, in ${ROUNDS} rounds`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const client = await world.createAccount()
    const space = await client.space(BARE)
    const text = "[steps 3]\n[use input=10 output=200]\n[reply Finished.]"
    const { turn_id } = await sendUntilItWaits(world, client, { space, text, on_limit: "wait", max_cost_usd: 0.0015 })
    const raised = Promise.all([waiter(client).raise(turn_id, 0.5), waiter(client).raise(turn_id, 0.5)])
    await Promise.all([raised, sweepWaits(context), sweepWaits(context)])
    expect((await raised).map(({ status }) => status)).toEqual([200, 200])
    await world.drain()
    expect((await client.getTurn(turn_id)).state).toBe("done")
    const resumed = (await waiter(client).events(turn_id)).filter(({ type }) => type === "turn.resumed")
    expect(resumed).toHaveLength(1)
    await expectPromises(world, client.userId)
  }
})

test("At the reset of a cap, 1,000 turns that wait for it continue in order, exactly as many as it allows", async () => {
  const { userId, turns } = await plantWaits(world, context, { count: 1_000, needed: 10_000, daily: 2_505_000 })
  await world.advance(86_400_000)
  const sweeps = await Promise.all(Array.from({ length: 4 }, () => sweepWaits(context)))
  await Promise.all(Array.from({ length: 2 }, () => sweepWaits(context)))
  const woken = await world.sql<{ turn_id: string }>(
    "select turn_id from events where user_id = $1 and type = 'turn.resumed' order by event_id",
    [userId],
  )
  expect(sweeps.every(({ failed }) => failed === 0)).toBe(true)
  expect(woken.map(({ turn_id }) => turn_id).sort()).toEqual(turns.slice(0, 250).sort())
  const [counter] = await world.sql<{ reserved: number; spent: number }>(
    `select reserved_credit_micros::float8 as reserved, spent_credit_micros::float8 as spent from spend_counters
     where user_id = $1 and kind = 'key' and starts_at = date_trunc('day', $2::timestamptz, 'UTC')`,
    [userId, world.clock.now()],
  )
  expect(counter).toEqual({ reserved: 2_500_000, spent: 0 })
  await expectBooks(world, userId)
})
