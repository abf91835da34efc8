import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createWorld, turnOf, type World } from "../harness/world.ts"

// More rows than one run of the sweeper can end fail and come first; a row after them can be ended.

let world: World
beforeAll(async () => {
  world = await createWorld()
  // Rows named "poison" cannot be ended.
  await world.sql(`create function refuse_poison() returns trigger language plpgsql as $$
    begin
      raise exception 'poison';
    end $$`)
  for (const [table, flag, called] of [
    ["api_keys", "ending_turns", "old.name"],
    ["users", "ending_turns", "old.name"],
    ["spaces", "ending_turns", "old.title"],
    ["webhook_endpoints", "stopping", "old.description"],
  ]) {
    await world.sql(`create trigger poisoned before update on ${table} for each row
      when (${called} = 'poison' and old.${flag} and not new.${flag}) execute function refuse_poison()`)
  }
})
afterAll(() => world.close())
beforeEach(() => world.advance(600_000))

const POISONED = 60

/** An account whose queue is never drained, with an open turn. */
async function openTurn() {
  const client = await world.createAccount()
  const space = await client.space()
  const { turn_id } = await turnOf(await client.sendTurn({ space }))
  await world.settled()
  return { client, space, turnId: turn_id, state: async () => (await stateOf(turn_id))?.status_reason }
}

async function stateOf(turnId: string) {
  const [row] = await world.sql<{ status_reason: string | null }>(
    "select status_reason from turns where turn_id = $1",
    [turnId],
  )
  return row
}

/** Endings from this time are left to the sweeper, oldest first. */
const longAgo = "now() - interval '100 years'"
const lately = "'2026-11-20 11:00Z'::timestamptz"

/** Runs the cron trigger once per minute until `done`. Returns the number of runs. */
async function runsUntil(done: () => Promise<boolean>): Promise<number> {
  for (let runs = 1; runs <= 10; runs++) {
    await world.advance(60_000)
    await world.sweep()
    if (await done()) return runs
  }
  return Number.POSITIVE_INFINITY
}

test("A failing account does not keep the sweeper from other revoked keys", async () => {
  const { client, state } = await openTurn()
  const poisoned = await world.createAccount()
  for (let i = 0; i < POISONED; i++) await world.makeKey(poisoned.userId, { name: "poison" })
  await world.sql(`update api_keys set revoked_at = ${longAgo}, ending_turns = true where name = 'poison'`)
  await world.sql(`update api_keys set revoked_at = ${lately}, ending_turns = true where user_id = $1`, [client.userId])
  expect(await runsUntil(async () => (await state()) === "key_revoked")).toBeLessThanOrEqual(2)
})

test("A failing account does not keep the sweeper from other disabled accounts", async () => {
  const { client, state } = await openTurn()
  for (let i = 0; i < POISONED; i++) {
    await world.sql(`insert into users (name, disabled_at, ending_turns) values ('poison', ${longAgo}, true)`)
  }
  await world.sql(`update users set disabled_at = ${lately}, ending_turns = true where user_id = $1`, [client.userId])
  expect(await runsUntil(async () => (await state()) === "account_disabled")).toBeLessThanOrEqual(2)
})

test("A failing account does not keep the sweeper from other archived spaces", async () => {
  const { client, space, state } = await openTurn()
  const poisoned = await world.createAccount()
  for (let i = 0; i < 25; i++) await poisoned.space({ title: "poison" })
  await world.sql(`update spaces set archived_at = ${longAgo}, ending_turns = true where title = 'poison'`)
  await world.sql(`update spaces set archived_at = ${lately}, ending_turns = true where slug = $1 and user_id = $2`, [
    space,
    client.userId,
  ])
  expect(await runsUntil(async () => (await state()) === "space_archived")).toBeLessThanOrEqual(2)
})

test("A failing endpoint does not keep the sweeper from other stopped endpoints", async () => {
  const client = await world.createAccount()
  let made = 0
  const make = async (account: typeof client, description: string) => {
    const body = { url: `https://hooks.customer.com/${++made}`, description }
    const response = await account.call("POST", "/v1/webhooks", body)
    expect(response.status).toBe(201)
    return ((await response.json()) as { webhook_id: string }).webhook_id
  }
  for (const account of [await world.createAccount(), await world.createAccount()]) {
    for (let i = 0; i < POISONED / 2; i++) await make(account, "poison")
  }
  const behind = await make(client, "behind")
  await client.sendTurn({ space: await client.space() })
  await world.settled()
  const stop = "disabled_at = updated_at, disabled_reason = 'customer', stopping = true"
  await world.sql(`update webhook_endpoints set updated_at = ${longAgo}`)
  await world.sql(`update webhook_endpoints set updated_at = ${lately} where webhook_id = $1`, [behind])
  await world.sql(`update webhook_endpoints set ${stop}`)
  const pending = async () => {
    const [row] = await world.sql<{ n: number }>(
      "select count(*)::int as n from webhook_deliveries where webhook_id = $1 and state = 'pending'",
      [behind],
    )
    return row?.n
  }
  expect(await pending()).toBeGreaterThan(0)
  expect(await runsUntil(async () => (await pending()) === 0)).toBeLessThanOrEqual(2)
})
