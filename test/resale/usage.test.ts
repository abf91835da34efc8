import { afterAll, beforeAll, expect, test } from "vitest"
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
    { group: "ada", billed_usd: 0.05, end_user_charge_usd: 0.12, margin_usd: 0.07 },
    { group: "bob", billed_usd: 0.04, end_user_charge_usd: null, margin_usd: null },
  ])
  expect(body.total).toMatchObject({ billed_usd: 0.09, end_user_charge_usd: 0.12, margin_usd: 0.07 })
  const byModel = await call("GET", "/v1/usage?group_by=model")
  expect(byModel.body.total).toMatchObject({ billed_usd: 0.09, end_user_charge_usd: null, margin_usd: null })
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
