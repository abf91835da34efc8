import { afterAll, beforeAll, expect, test } from "vitest"
import { faultsOf } from "../../examples/verify-end-user-receipts/receipt.ts"
import type { TurnReceipt } from "../../src/receipts/get-receipt.ts"
import { readAnswer } from "../harness/answers.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const PRICES = {
  plain: { multiplier: 1.5 },
  up: { multiplier: 1.234567, per_turn_usd: 0.0003, rounding: { to_usd: 0.01, mode: "up" } },
  down: { multiplier: 3, rounding: { to_usd: 0.0007, mode: "down" } },
  half: { multiplier: 0.5, per_turn_usd: 0.0000001, rounding: { to_usd: 0.0000003, mode: "nearest" } },
  models: { multiplier: 9, per_model: { "rehearsal/standard": 2.000001 } },
  free: { multiplier: 0 },
} as const

async function jwksOf() {
  const response = await world.invoke(new Request("https://api.test/.well-known/jwks.json"))
  return (await response.json()) as Parameters<typeof faultsOf>[1]
}

/** The charge by the seller's receipt and the version of the price, in BigInt. */
function chargeBy({ document }: TurnReceipt["receipt"], price: Record<string, never> & Version): string {
  const millionths = (usd: number | string) => BigInt(Math.round(Number(usd) * 1e7)) * 1_000_000n
  const factor = (model: string) => BigInt(Math.round((price.per_model[model] ?? price.multiplier) * 1e6))
  const exact = document.calls.reduce(
    (sum, { model, amount_usd }) => sum + BigInt(amount_usd.replace(".", "")) * factor(model),
    millionths(price.per_turn_usd),
  )
  const step = millionths(price.rounding.to_usd)
  const add = { up: step - 1n, nearest: step / 2n, down: 0n }[price.rounding.mode]
  const micros = (((exact + add) / step) * step) / 1_000_000n
  return (Number(micros) / 1e7).toFixed(7)
}
interface Version {
  multiplier: number
  per_model: Record<string, number>
  per_turn_usd: number
  rounding: { to_usd: number; mode: "up" | "nearest" | "down" }
}

test("The receipt of an end user is computed again from itself, and from the seller's receipt and the price's version", async () => {
  const seller = await createSeller(world)
  const jwks = await jwksOf()
  for (const [name, price] of Object.entries(PRICES)) {
    await seller.putPrice(name, price)
    await seller.bill(name, { price: name, prepaid: false })
    if (name !== "free") await seller.credit(name, 10)
    const turn = await seller.spend(name, 0.0123457)
    // Receipts do not depend on the price that is current when they are read.
    await seller.putPrice(name, { multiplier: 7 })
    await seller.bill(name, { price: null })
    await seller.call("DELETE", `/v1/prices/${name}`)
    const { body } = await readAnswer(seller.client.call("GET", `/v1/turns/${turn.turn_id}/receipt`))
    const { receipt, end_user_receipt: mine } = body as TurnReceipt
    if (!mine) throw new Error(`${name}: no receipt`)
    expect(await faultsOf(mine, jwks), name).toEqual([])
    expect(mine.document).toMatchObject({ turn_id: turn.turn_id, price: { name, version: 1 }, end_user_ref: name })
    expect(turn.price).toEqual({ name, version: 1 })
    expect(Number(mine.document.charge_usd)).toBe(turn.end_user_charge_usd)
    const { body: kept } = await readAnswer(seller.client.call("GET", `/v1/prices/${name}?version=1`))
    expect(chargeBy(receipt, (kept as { versions: never[] }).versions[0] as never), name).toBe(mine.document.charge_usd)
    expect(JSON.stringify(mine.document)).not.toMatch(/multiplier|billed|total_usd|unit_price|rehearsal/)
    if (name !== "free") expect(JSON.stringify(mine.document)).not.toContain(receipt.document.total_usd)
  }
})

test("A forged receipt of an end user is found: another amount, rounding, document or key", async () => {
  const seller = await createSeller(world)
  await seller.putPrice("standard", { multiplier: 2, per_turn_usd: 0.001 })
  await seller.bill("ada", { price: "standard", prepaid: true })
  await seller.credit("ada", 1)
  const turn = await seller.spend("ada", 0.01)
  const { body } = await readAnswer(seller.client.call("GET", `/v1/turns/${turn.turn_id}/receipt`))
  const mine = (body as TurnReceipt).end_user_receipt
  if (!mine) throw new Error("no receipt")
  const jwks = await jwksOf()
  expect(mine.document).toMatchObject({ charge_usd: "0.0210000", paid_from: "wallet" })
  expect(mine.document.components.map(({ kind }) => kind)).toEqual(["model_call", "turn"])
  expect(await faultsOf({ ...mine, document: { ...mine.document, charge_usd: "0.0200000" } }, jwks)).toEqual([
    "charge_usd is not exact_usd rounded",
    "the digest belongs to another document",
    "the signature is wrong",
  ])
  expect(await faultsOf(mine, { keys: [] })).toEqual(["the key is not published"])
  expect(await faultsOf({ ...mine, document: { ...mine.document, components: [] } }, jwks)).toContain(
    "the components do not add up to exact_usd",
  )
})

test("A turn without a price and a wallet has no receipt for its end user", async () => {
  const seller = await createSeller(world)
  const turn = await seller.spend("bob", 0.01)
  const { body } = await readAnswer(seller.client.call("GET", `/v1/turns/${turn.turn_id}/receipt`))
  expect(body).toMatchObject({ end_user_receipt: null })
  expect(turn.price).toBeNull()
})
