import { afterAll, beforeAll, expect, test } from "vitest"
import { reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const REFS = ["ada", "bob"] as const
const OPERATIONS = 80

type Seller = Awaited<ReturnType<typeof createSeller>>
/** The turns that the operations have sent, by their order. */
type Sent = string[]
type Operation = (seller: Seller, sent: Sent) => Promise<unknown>

/**
 * An operation of a shop, with all its values chosen, so that two accounts can do the same. An end user has one
 * conversation, so turns of one wallet run one after another, in the same order in both accounts.
 */
function chooseOperation(random: Random): Operation {
  const ref = random.pick(REFS)
  const usd = random.pick([0.002, 0.01, 0.05, 0.3])
  const nth = random.int(1000)
  const send = async ({ client, space }: Seller, sent: Sent, body: object) => {
    const response = await client.sendTurn({ space, end_user_ref: ref, ...body })
    const answer = (await response.json()) as { turn_id?: string; error?: { code: string } }
    if (answer.turn_id) sent.push(answer.turn_id)
    return [response.status, answer.error?.code]
  }
  const text = `[steps ${1 + random.int(4)}]\n[use input=${random.pick([1000, 20_000])} cached=0 output=${random.pick([0, 100])}]`
  const price = { multiplier: random.pick([0, 1, 2.5]), per_turn_usd: 0.0003 }
  const billing = { price: random.pick(["standard", null]), prepaid: random.pick([true, false, null]) }
  const limits = { daily_usd: random.pick([0.02, 0.5, null]), monthly_usd: random.pick([0.1, 5, null]) }
  const defaults = { key_id: null, price: null, prepaid: random.pick([null, true]) }
  const amount = random.pick([-0.01, 0.001, 0.02, 0.1, 0.5])
  return random.pick<Operation>([
    async ({ putPrice }) => (await putPrice("standard", price)).status,
    async ({ bill }) => (await bill(ref, billing)).status,
    async ({ credit }) => (await credit(ref, amount)).status,
    async ({ credit }) => (await credit(ref, amount)).status,
    async ({ call }) => (await call("PUT", `/v1/end-users/${ref}/limits`, limits)).status,
    async ({ call }) => (await call("PUT", "/v1/end-user-defaults", defaults)).status,
    (seller, sent) => send(seller, sent, { text, max_cost_usd: usd }),
    (seller, sent) => send(seller, sent, { text, max_cost_usd: usd, on_limit: "wait" }),
    (seller, sent) => send(seller, sent, { text, on_limit: "wait" }),
    async ({ client }, sent) =>
      sent.length > 0 && (await client.call("POST", `/v1/turns/${sent[nth % sent.length]}/cancel`)).status,
    async ({ call }, sent) =>
      sent.length > 0 && (await call("PATCH", `/v1/turns/${sent[nth % sent.length]}`, { max_cost_usd: 0.4 })).status,
  ])
}

/** Everything of the live side that a customer or the database can tell, without ids of this account. */
async function liveSideOf({ userId, keyId, call, balance, ledger }: Seller, sent: Sent) {
  const answers: unknown[] = []
  for (const ref of REFS) {
    const entries = (await ledger(ref, "?limit=100")).data as {
      reason: string
      amount_usd: number
      balance_after_usd: number
    }[]
    const { body } = await call("GET", `/v1/end-users/${ref}`)
    answers.push(
      await balance(ref),
      body.caps,
      body.limits,
      entries.map((one) => [one.reason, one.amount_usd, one.balance_after_usd]),
    )
  }
  for (const path of [
    "/v1/balance",
    "/v1/usage?group_by=end_user_ref",
    "/v1/usage?group_by=day",
    "/v1/end-user-defaults",
  ]) {
    const { body } = await call("GET", path)
    answers.push(path, body.data ?? body, body.total)
  }
  for (const turnId of sent) {
    const { body } = await call("GET", `/v1/turns/${turnId}`)
    const { state, status_reason, billed_cost_usd, end_user_charge_usd, price, held_usd, waiting } = body
    answers.push({
      state,
      status_reason,
      billed_cost_usd,
      end_user_charge_usd,
      price,
      held_usd,
      limit: waiting?.limit ?? null,
    })
  }
  const { body: events } = await call("GET", "/v1/events?limit=100")
  answers.push(events.data.map(({ type }: { type: string }) => type).sort())
  const rows = async (query: string) => answers.push(query, await world.sql(query, [userId]))
  await rows(
    "select kind, subject = '' or kind = 'end_user' as of_all, case kind when 'end_user' then subject end as subject, since from spend_counted where user_id = $1 order by 1, 3",
  )
  await rows(
    `select kind, case kind when 'end_user' then subject end as subject, period, starts_at, spent_credit_micros::float8 as spent,
       reserved_credit_micros::float8 as reserved, told from spend_counters where user_id = $1 and kind <> 'test_end_user' order by 1, 2, 3, 4`,
  )
  await rows("select reason, amount_credit_micros::float8 as amount from ledger where user_id = $1 order by 1, 2")
  await rows(
    "select sum(turns)::int as turns, sum(billed_credit_micros)::float8 as billed from turn_ends where user_id = $1 and not test",
  )
  const text = JSON.stringify(answers)
  return JSON.parse(text.replaceAll(keyId, "key").replaceAll(/(turn|key|evt|conv)_[0-9a-z]{26}/g, "$1"))
}

test("No mixture of test operations changes anything of the live side, and the reconciliation finds nothing", async () => {
  const admin = await signInAdmin(world)
  const tested: Record<string, number> = {}
  for (const seed of [1, 2, 3]) {
    const random = createRandom("test-apart", seed)
    const plain = await createSeller(world, { usd: 1000 })
    const mixed = await createSeller(world, { usd: 1000 })
    const rehearsal = await createSeller(world, { test: true, of: mixed.userId })
    const sent: Sent[] = [[], [], []]
    for (const { putPrice, bill, credit } of [plain, mixed, rehearsal]) {
      await putPrice("standard", { multiplier: 2 })
      for (const ref of REFS) await bill(ref, { price: "standard" })
      for (const ref of REFS) await credit(ref, 0.3)
    }
    for (let n = 0; n < OPERATIONS; n++) {
      const what = `seed ${seed}, operation ${n}`
      const isTest = random.int(2) === 0
      const operation = chooseOperation(random)
      if (isTest) {
        const answer = JSON.stringify(await operation(rehearsal, sent[2] ?? []))
        tested[answer] = (tested[answer] ?? 0) + 1
      } else {
        const expected = await operation(plain, sent[0] ?? [])
        expect(await operation(mixed, sent[1] ?? []), what).toEqual(expected)
      }
      if (random.int(5) === 0) await world.drain()
      if (random.int(12) === 0) await world.advance(random.pick([60_000, 3_600_000, 86_400_000]))
      if (random.int(6) === 0) await world.sweep()
      if (n % 10 === 9)
        expect(await liveSideOf(mixed, sent[1] ?? []), what).toEqual(await liveSideOf(plain, sent[0] ?? []))
    }
    expect((await reconcileAsAdmin(admin)).findings).toEqual([])
    await world.advance(3 * 86_400_000)
    await world.sweep()
    await world.drain()
    expect(await liveSideOf(mixed, sent[1] ?? [])).toEqual(await liveSideOf(plain, sent[0] ?? []))
    const charged = await world.sql<{ charges: number }>(
      "select count(*)::int as charges from end_user_ledger where user_id = $1 and test and reason = 'usage'",
      [mixed.userId],
    )
    tested.charges = (tested.charges ?? 0) + (charged[0]?.charges ?? 0)
    for (const one of [plain, mixed]) await expectPromises(world, one.userId)
  }
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
  // The mixture has charged test wallets, and has refused test turns.
  console.log(JSON.stringify(tested))
  expect(tested.charges).toBeGreaterThan(5)
  expect(Object.keys(tested).some((answer) => /^\[(402|429),/.test(answer))).toBe(true)
})
