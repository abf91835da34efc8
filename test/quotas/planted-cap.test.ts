import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { capLists, keyCaps } from "../../scripts/cap-lists.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { CAPS, type DeclaredCaps } from "../../src/quotas/caps.ts"
import { growHold } from "../../src/runs/grow-hold.ts"
import { cappedAccount } from "../harness/caps.ts"
import { claimTurn } from "../harness/claim.ts"
import { contextOf } from "../harness/context.ts"
import { sendUntilItWaits } from "../harness/waiting.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const TEXT = "[steps 4]\n[use input=10 output=200]\n[reply Finished.]"

/** Two caps that the service does not have: of a key, and of a plan. */
const PLANTED: DeclaredCaps = {
  key_planted: {
    subject: "key",
    period: "month",
    limits: { key: "planted_credit_micros" },
    words: "the key's planted cap",
    setBy: "the test",
  },
  account_planted: {
    subject: "account",
    period: "month",
    limits: { plan: "planted_cap_usd" },
    words: "the planted cap of the plan",
    setBy: "the test",
  },
}

let world: World
let monthEnd: string
beforeAll(async () => {
  world = await createWorld({ isNew: true, isDeclared: false })
  await world.sql("alter table api_keys add column planted_credit_micros bigint")
  const procedures = [keyCaps, capLists].map((write) => write({ ...CAPS, ...PLANTED }))
  for (const statement of procedures.join("\n").split(/(?<=\$\$;)\n/)) {
    const named = statement.replaceAll("turnpike.", `${RELEASE}.`)
    if (named.trim() !== "") await world.sql(named.replace("create function", "create or replace function"))
  }
  Object.assign(CAPS, PLANTED)
})
beforeEach(() => {
  const now = new Date(world.clock.now())
  monthEnd = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString()
})
afterAll(async () => {
  // The schema of `cap.reached` was made from the list without these caps.
  await world.sql("alter table events disable trigger user")
  await world.sql("delete from events where type = 'cap.reached'")
  await world.close()
})

const ofKey = async (usd: number) => {
  const account = await cappedAccount(world)
  await world.sql("update api_keys set planted_credit_micros = $2 where user_id = $1", [account.userId, usd * 1e7])
  return account
}

const ofPlan = async (usd: number) => {
  const account = await cappedAccount(world)
  await world.sql(
    `insert into settings as s (key, value) values ('plans', $1::jsonb) on conflict (key) do update set value = excluded.value`,
    [JSON.stringify({ planted: { label: "Planted", included_credit_usd: 0, planted_cap_usd: usd } })],
  )
  await world.sql(
    "insert into subscriptions (user_id, plan, trial, starts_at, created_at, updated_at) values ($1, 'planted', false, $2, $2, $2)",
    [account.userId, new Date(world.clock.now())],
  )
  return account
}

const CASES = [
  { cap: "key_planted", source: "key", words: "The key's planted cap", account: ofKey },
  { cap: "account_planted", source: "plan", words: "The planted cap of the plan", account: ofPlan },
]

test.each(CASES)(
  "Accepting a turn and an estimate refuse by a planted $cap, and the error names it",
  async (planted) => {
    const { client, space } = await planted.account(0.0001)
    const details = { cap: planted.cap, source: planted.source, limit_usd: 0.0001, spent_usd: 0, reserved_usd: 0 }
    const refusal = { code: "QUOTA_EXCEEDED", message: expect.stringContaining(planted.words), details }
    const sent = await client.send({ space })
    expect(sent).toMatchObject({ status: 429, body: { error: refusal } })
    const { body } = await client.estimate({ space })
    expect(body).toMatchObject({ admitted: false, refused_by: refusal })
  },
)

test.each(CASES)(
  "A hold grows as far as a planted $cap allows, which counts it for the whole month",
  async (planted) => {
    const { client, space, userId } = await planted.account(0.3)
    const { turn_id } = await turnOf(await client.sendTurn({ space }))
    await world.settled()
    const ctx = contextOf(world)
    const claim = await claimTurn(ctx, turn_id)
    if (!claim) throw new Error("not claimed")
    expect(await growHold(ctx, claim.turn, 0.1 * 1e7)).toMatchObject({ hold: 0.3 * 1e7, boundBy: planted.cap })
    expect(await client.estimate({ space })).toMatchObject({
      body: { admitted: false, refused_by: { details: { cap: planted.cap, reserved_usd: 0.3, resets_at: monthEnd } } },
    })
    const counters = await world.sql(
      "select period, reserved_credit_micros::int as held from spend_counters where user_id = $1",
      [userId],
    )
    expect(counters).toContainEqual({ period: "month", held: 0.3 * 1e7 })
  },
)

test.each(CASES)("A turn waits for a planted $cap, and continues in the next month", async (planted) => {
  // A wait is shorter than a month.
  await world.advance(Date.parse(monthEnd) - 3_600_000 - world.clock.ms())
  const { client, space } = await planted.account(0.0026)
  const turn = await sendUntilItWaits(world, client, { space, text: TEXT, on_limit: "wait" })
  expect(turn.waiting.limit).toMatchObject({ kind: planted.cap, limit_usd: 0.0026, resets_at: monthEnd })
  await world.advance(Date.parse(monthEnd) - world.clock.ms())
  await world.sweep()
  await world.drain()
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "done" })
})
