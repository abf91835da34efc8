import { afterAll, beforeAll, expect, test } from "vitest"
import { USAGE_KEY_POLICY } from "../../src/billing/policies.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Usage shows the charges and the margin, and only turns with a price or a wallet count towards the margin", async () => {
  const { putPrice, bill, spend, call } = await createSeller(world)
  await putPrice("double", { multiplier: 2, per_turn_usd: 0.01 })
  await bill("ada", { price: "double" })
  await spend("ada", 0.02)
  await spend("ada", 0.03)
  await spend("bob", 0.04)
  const { body } = await call("GET", "/v1/usage?group_by=end_user_ref")
  expect(body.data).toMatchObject([
    { group: "ada", billed_usd: 0.05, end_user_charge_usd: 0.12, margin_usd: 0.07, charged_turns_billed_usd: 0.05 },
    { group: "bob", billed_usd: 0.04, end_user_charge_usd: null, margin_usd: null, charged_turns_billed_usd: null },
  ])
  const sums = { end_user_charge_usd: 0.12, margin_usd: 0.07, charged_turns_billed_usd: 0.05 }
  expect(body.total).toMatchObject({ billed_usd: 0.09, ...sums })
  const byModel = await call("GET", "/v1/usage?group_by=model")
  const none = { end_user_charge_usd: null, margin_usd: null, charged_turns_billed_usd: null }
  expect(byModel.body.total).toMatchObject({ billed_usd: 0.09, ...none })
})

test("A value of metadata is told apart from all other values and from turns without a value, on pages too", async () => {
  const { spend, call } = await createSeller(world)
  await call("PUT", "/v1/usage-keys", { keys: ["feature"] })
  await spend("ada", 0.5, { metadata: { feature: "(other)" } })
  await spend("ada", 0.4, { metadata: { feature: "" } })
  await spend("ada", 0.3)
  const { turn_id } = await spend("ada", 0.001, { metadata: { feature: "f" } })
  // Copies of that turn, each with a value of its own.
  const copy = (more: string) => `jsonb_populate_record(t, jsonb_build_object('turn_id', t.turn_id || n${more}))`
  const ofTurns = copy(
    `, 'idempotency_key', 'copy ' || n, 'position', t.position + n, 'metadata', jsonb_build_object('feature', 'f' || n)`,
  )
  for (const [table, row] of [
    ["turns", ofTurns],
    ["ended_turns", copy("")],
  ]) {
    await world.sql(
      `insert into ${table} select (${row}).* from ${table} t, generate_series(1, ${USAGE_KEY_POLICY.mostValues + 1}) n where t.turn_id = $1`,
      [turn_id],
    )
  }
  const path = "/v1/usage?group_by=metadata.feature"
  const groups = (await call("GET", `${path}&limit=100`)).body.data as {
    group: string
    kind: string
    billed_usd: number
  }[]
  const odd = groups.filter(({ group }) => !group.startsWith("f"))
  expect(odd.map(({ group, kind, billed_usd }) => [group, kind, billed_usd])).toEqual([
    ["", "none", 0.3],
    ["", "value", 0.4],
    ["(other)", "other", 0.005],
    ["(other)", "value", 0.5],
  ])
  const paged: unknown[] = []
  for (let cursor = ""; ; ) {
    const { body } = await call("GET", `${path}&limit=1${cursor && `&cursor=${cursor}`}`)
    paged.push(...body.data)
    if (body.next_cursor === null || paged.length === 5) break
    cursor = body.next_cursor
  }
  expect(paged).toEqual(groups.slice(0, 5))
})

test("Usage can be grouped by a registered key of metadata, and erased turns have no value", async () => {
  const { spend, call } = await createSeller(world)
  await spend("ada", 0.01, { metadata: { feature: "search", plan: "pro" } })
  await spend("ada", 0.02, { metadata: { feature: "chat" } })
  await spend("bob", 0.03, { metadata: { feature: "chat" } })
  await spend("bob", 0.04)
  expect(await call("GET", "/v1/usage?group_by=metadata.feature")).toMatchObject({
    status: 422,
    body: { error: { code: "VALIDATION_FAILED", param: "group_by" } },
  })
  expect((await call("PUT", "/v1/usage-keys", { keys: ["feature"] })).body).toEqual({ keys: ["feature"] })
  const report = async () => {
    const { body } = await call("GET", "/v1/usage?group_by=metadata.feature")
    return body.data.map(({ group, billed_usd }: { group: string; billed_usd: number }) => [group, billed_usd])
  }
  expect(await report()).toEqual([
    ["", 0.04],
    ["chat", 0.05],
    ["search", 0.01],
  ])
  await call("DELETE", "/v1/end-users/ada")
  expect(await report()).toEqual([
    ["", 0.07],
    ["chat", 0.03],
  ])
  expect((await call("PUT", "/v1/usage-keys", { keys: Array.from({ length: 11 }, (_, n) => `k${n}`) })).status).toBe(
    422,
  )
})

test("Usage can be grouped by the version of the configuration", async () => {
  const { spend, call, client, space } = await createSeller(world)
  await spend("ada", 0.01)
  await client.call("PUT", `/v1/spaces/${space}/manifest`, { instructions: "Be brief." })
  await spend("ada", 0.02)
  const { body } = await call("GET", "/v1/usage?group_by=config_version")
  expect(body.data.map(({ group, billed_usd }: { group: string; billed_usd: number }) => [group, billed_usd])).toEqual([
    [`${space}@1`, 0.01],
    [`${space}@2`, 0.02],
  ])
})
