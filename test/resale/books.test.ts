import { afterAll, beforeAll, expect, test } from "vitest"
import { reconcileAsAdmin, signInAdmin, tamper } from "../harness/books.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("The reconciliation finds every planted error in the wallet of an end user", async () => {
  const { userId, credit, spend, send, putPrice, bill } = await createSeller(world)
  await putPrice("double", { multiplier: 2 })
  await credit("ada", 5)
  await bill("ada", { price: "double", prepaid: true })
  await spend("ada", 0.25)
  await send("ada", 0.25)
  const admin = await signInAdmin(world)
  const { unguarded } = tamper(world)
  const found = async () =>
    (await reconcileAsAdmin(admin)).findings.map(({ kind, counter, expected_usd, found_usd }) => [
      kind,
      counter?.subject,
      expected_usd,
      found_usd,
    ])
  expect(await found()).toEqual([])
  const mine = `user_id = ${userId} and end_user_ref = 'ada'`
  const plants: [string, string, unknown[][]][] = [
    [
      "update end_user_wallets set balance_credit_micros = balance_credit_micros + 7",
      "update end_user_wallets set balance_credit_micros = balance_credit_micros - 7",
      [["end_user_balance", "ada", 4.5, 4.5000007]],
    ],
    [
      "update end_user_wallets set held_credit_micros = held_credit_micros - 9",
      "update end_user_wallets set held_credit_micros = held_credit_micros + 9",
      [["end_user_held", "ada", 0.5, 0.4999991]],
    ],
    [
      "update end_user_ledger set amount_credit_micros = amount_credit_micros + 3",
      "update end_user_ledger set amount_credit_micros = amount_credit_micros - 3",
      [
        ["end_user_ledger", "ada", 4.5000006, 4.5],
        ["end_user_charges", "ada", 0.5, 0.4999997],
      ],
    ],
    [
      "update turns set end_user_charge_credit_micros = end_user_charge_credit_micros - 5",
      "update turns set end_user_charge_credit_micros = end_user_charge_credit_micros + 5",
      [["end_user_charges", "ada", 0.4999995, 0.5]],
    ],
  ]
  for (const [plant, mend, findings] of plants) {
    await unguarded(`${plant} where ${mine}`)
    expect(await found(), plant).toEqual(findings)
    await unguarded(`${mend} where ${mine}`)
  }
  expect(await found()).toEqual([])
  await world.drain()
  expect(await found()).toEqual([])
})
