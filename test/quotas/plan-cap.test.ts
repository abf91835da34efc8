import { afterAll, beforeAll, expect, test } from "vitest"
import { reconciliationSchema } from "../../src/billing/reconciliation-row.ts"
import { REFUSAL_POLICY } from "../../src/platform/refusal-memory.ts"
import { signInAdmin } from "../harness/books.ts"
import { CHEAP, CHEAP_USD, cappedAccount } from "../harness/caps.ts"
import { expectPromises } from "../harness/promises.ts"
import { givePlan } from "../harness/quota-load.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const chatOf = async (account: Awaited<ReturnType<typeof cappedAccount>>, text: string) => {
  const [, { items }] = await account.browser.json("GET", "/api/account/spaces")
  return account.browser.json("POST", "/api/account/chat/turns", { space: items[0].space_id, text })
}

test("The daily cap of a plan limits all keys and the web chat of an account together", async () => {
  const account = await cappedAccount(world)
  const second = await account.addKey()
  await givePlan(world, account.userId, 3 * CHEAP_USD)
  const turn = { space: account.space, text: CHEAP, max_cost_usd: CHEAP_USD }
  expect((await account.client.send(turn)).status).toBe(202)
  expect((await second.send({ ...turn, end_user_ref: "customer-2" })).status).toBe(202)
  await world.drain()
  expect((await chatOf(account, CHEAP))[0]).toBe(202)
  await world.drain()
  const refused = await second.send(turn)
  expect(refused).toMatchObject({
    status: 429,
    body: { error: { code: "QUOTA_EXCEEDED", details: { cap: "account_daily", source: "plan" } } },
  })
  const midnight = Math.ceil((86_400_000 - (world.clock.ms() % 86_400_000)) / 1000)
  expect(refused.retryAfter).toBe(midnight)
  expect(await chatOf(account, CHEAP)).toMatchObject([
    429,
    { code: "QUOTA_EXCEEDED", details: { cap: "account_daily" } },
  ])
  expect((await second.me()).caps).toMatchObject([{ cap: "account_daily", source: "plan", limit_usd: 0.0006 }])
  expect((await account.client.estimate(turn)).body).toMatchObject({
    admitted: false,
    refused_by: { code: "QUOTA_EXCEEDED" },
  })
  const told = await world.sql<{ data: object }>(
    "select data from events where user_id = $1 and type = 'cap.reached' order by data ->> 'percent' = '100', data ->> 'percent'",
    [account.userId],
  )
  expect(told.map(({ data }) => data)).toMatchObject([
    { cap: "account_daily", percent: 50, key_id: null, end_user_ref: null },
    { cap: "account_daily", percent: 80 },
    { cap: "account_daily", percent: 100 },
  ])
  await world.advance(midnight * 1000)
  expect((await second.send(turn)).status, "the next day").toBe(202)
  await world.drain()
  await expectPromises(world, account.userId)
})

test("A changed cap, a deactivated plan and an ended plan apply to the next request", async () => {
  const account = await cappedAccount(world)
  const turn = { space: account.space, text: CHEAP, max_cost_usd: CHEAP_USD }
  const status = async () => {
    const answer = await account.client.send(turn)
    await world.drain()
    // Plans change by SQL here, so remembered refusals end by their time.
    await world.advance(REFUSAL_POLICY.keptMs)
    return answer.status
  }
  await givePlan(world, account.userId, CHEAP_USD)
  expect([await status(), await status()]).toEqual([202, 429])
  await givePlan(world, account.userId, 2 * CHEAP_USD)
  expect([await status(), await status()]).toEqual([202, 429])
  await givePlan(world, account.userId, null)
  expect(await status(), "a plan without a cap").toBe(202)
  await world.sql(
    "update subscriptions set deactivated_at = $2 where user_id = $1 and sub_id = (select max(sub_id) from subscriptions where user_id = $1)",
    [account.userId, world.clock.now()],
  )
  expect(await status(), "the earlier plan applies again").toBe(429)
  await world.sql("update subscriptions set ends_at = $2 where user_id = $1", [
    account.userId,
    new Date(world.clock.ms() + 1000),
  ])
  expect(await status()).toBe(429)
  expect(await status(), "no plan is active").toBe(202)
  await expectPromises(world, account.userId)
})

test("Spend before the plan counts, a hold grows only up to the cap, and test turns do not count", async () => {
  const account = await cappedAccount(world)
  await account.client.send({ space: account.space, text: CHEAP })
  await world.drain()
  await givePlan(world, account.userId, 2 * CHEAP_USD)
  const grown = await account.client.send({ space: account.space, text: `[steps 3]\n[use input=100 output=20]\nmore` })
  await world.drain()
  const turn = await account.client.getTurn(grown.body.turn_id)
  expect(turn.billed_cost_usd).toBeLessThanOrEqual(CHEAP_USD)
  expect(turn).toMatchObject({ state: "failed", error: { code: "COST_LIMIT_REACHED" } })
  const tests = world.createClient(account.userId, (await world.makeKey(account.userId, { test: true })).value)
  expect((await tests.runTurn({ space: await tests.space() })).state).toBe("done")
  await expectPromises(world, account.userId)
})

test("The reconciliation compares and repairs the counter of an account", async () => {
  const account = await cappedAccount(world)
  await givePlan(world, account.userId, 1)
  for (let n = 0; n < 2; n++) await account.client.send({ space: account.space, text: CHEAP })
  await world.drain()
  const wrong =
    "update spend_counters set spent_credit_micros = spent_credit_micros + 7 where user_id = $1 and kind = 'account'"
  await world.sql(wrong, [account.userId])
  const admin = await signInAdmin(world)
  const [, report] = await admin.json("POST", "/api/admin/system/reconcile")
  expect(reconciliationSchema.safeParse(report).error, "as documented").toBeUndefined()
  const { findings } = report
  const ours = findings.filter(({ user_id }: { user_id: number }) => user_id === account.userId)
  expect(ours).toMatchObject([{ kind: "counter_spent", counter: { kind: "account", subject: "" }, repaired: true }])
  await world.sql("delete from spend_counters where user_id = $1 and kind = 'account'", [account.userId])
  await world.sql("update spend_counted set since = since - interval '2 days' where user_id = $1", [account.userId])
  const [, again] = await admin.json("POST", "/api/admin/system/reconcile")
  expect(again.findings).toMatchObject([{ kind: "counter_missing", counter: { kind: "account" } }])
})
