import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Call, computed, decimal, isSigned, micros } from "../../examples/verify-receipts/documents.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { publishSigningKeys } from "../../src/ops/publish-signing-keys.ts"
import type { TurnReceipt } from "../../src/receipts/get-receipt.ts"
import type { Receipt } from "../../src/receipts/receipt-document.ts"
import { contextOf } from "../harness/context.ts"
import { ownerWithAll } from "../harness/estate.ts"
import { addImageModel, logInMedia, PAINTER, PICTURES, pictureAnswer, serveImages } from "../harness/pictures.ts"
import { readSigningKeys } from "../harness/receipts.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function receiptOf(client: TestClient, turnId: string): Promise<TurnReceipt> {
  const response = await client.call("GET", `/v1/turns/${turnId}/receipt`)
  expect(response.status, await response.clone().text()).toBe(200)
  return response.json()
}

/** Recomputes a receipt with the customer's own code, and compares it with the ledger. */
async function expectProven(receipt: TurnReceipt["receipt"]): Promise<Receipt> {
  await readSigningKeys(world)
  expect(isSigned(receipt)).toBe(true)
  const { document } = receipt
  let total = 0n
  for (const call of document.calls as Call[]) {
    expect(decimal(computed(call))).toBe(call.computed_usd)
    expect(decimal(computed(call) - micros(call.waived_usd))).toBe(call.amount_usd)
    expect(micros(call.waived_usd) > 0n).toBe(call.waived_for !== null)
    total += micros(call.amount_usd)
  }
  expect(decimal(total)).toBe(document.total_usd)
  expect(micros(document.hold.charged_usd) + micros(document.hold.released_usd)).toBe(micros(document.hold.held_usd))
  const [charge] = await world.sql<{ charged: number }>(
    "select coalesce(-sum(amount_credit_micros), 0)::float8 as charged from ledger where turn_id = $1 and reason in ('usage', 'space_usage')",
    [document.turn_id],
  )
  expect(charge?.charged).toBe(Number(total))
  return document
}

describe("The receipt of a turn", () => {
  test("Every amount can be computed from the receipt: cached and written tokens, sub-agents, and a failed turn", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { subagents: [{ name: "helper", description: "x" }] } })
    const texts = [
      "[use input=1003 cached=501 output=77]",
      "[use input=333 output=1]\n[steps 3]",
      "[delegate helper [use input=7 output=3]\\nhello]\n[use input=11 output=5]",
      "[use input=10 output=10]\n[fail OUT_OF_STOCK]",
      "[use input=0 output=0]",
    ]
    for (const text of texts) {
      const { turn_id } = await client.runTurn({ space, text })
      const { receipt, refund } = await receiptOf(client, turn_id)
      await expectProven(receipt)
      expect(refund).toBeNull()
    }
    const { turn_id } = await client.runTurn({ space, text: texts[2] as string })
    const { document } = (await receiptOf(client, turn_id)).receipt
    expect(document.calls.map(({ subagent }) => subagent)).toContain("helper")
  })

  test("A change of prices during a turn leaves its receipt as it was, and a former version has its own prices", async () => {
    const client = await world.createAccount()
    const space = await client.space()
    const before = await client.runTurn({ space, text: "[use input=1000 output=10]" })
    const first = await receiptOf(client, before.turn_id)
    await world.sql(
      `with was as (insert into former_prices (pin, price_version, price_input, price_cached, price_output, until_at)
         select pin, price_version, price_input, price_cached, price_output, $1 from model_catalog where pin = 'rehearsal/standard')
       update model_catalog set price_input = price_input * 3, price_version = price_version + 1 where pin = 'rehearsal/standard'`,
      [world.clock.now()],
    )
    const after = await client.runTurn({ space, text: "[use input=1000 output=10]" })
    const later = await expectProven((await receiptOf(client, after.turn_id)).receipt)
    expect(await receiptOf(client, before.turn_id)).toEqual(first)
    const versions = [first.receipt.document, later].map(({ calls }) => calls[0])
    expect(versions.map((call) => [call?.price_version, call?.lines[0]?.unit_price_usd])).toEqual([
      [1, "1.0000000"],
      [2, "3.0000000"],
    ])
  })

  test("A picture has a line of its own", async () => {
    await addImageModel(world)
    await logInMedia(world)
    serveImages(world, () => pictureAnswer(PICTURES.png))
    const client = await world.createAccount()
    const space = await client.space(PAINTER)
    const { turn_id } = await client.runTurn({ space, text: '[call generate_image {"prompt":"a cat"}]' })
    const { calls } = await expectProven((await receiptOf(client, turn_id)).receipt)
    expect(calls.filter(({ call }) => call !== null)).toMatchObject([
      { lines: [{ kind: "image", quantity: 1, unit_price_usd: "0.0400000", per: 1 }], amount_usd: "0.0400000" },
    ])
  })

  test("An amount that is not charged is waived for a reason: a test turn, or tokens beyond the hold", async () => {
    const client = await world.createAccount()
    const testing = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
    const free = await testing.runTurn({ space: await testing.space(), text: "[use input=1000 output=10]" })
    const space = await client.space()
    const text = "[use input=900000 output=10]"
    const bounded = await client.runTurn({ space, text, max_cost_usd: 0.05 })
    const waivers = []
    for (const [reader, turn] of [[testing, free] as const, [client, bounded] as const]) {
      const { calls } = await expectProven((await receiptOf(reader, turn.turn_id)).receipt)
      waivers.push(calls[0]?.waived_for)
    }
    expect(waivers).toEqual(["test", "over_hold"])
  })

  test("An open turn has no receipt yet, and a stranger sees none", async () => {
    const client = await world.createAccount()
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
    const open = await client.call("GET", `/v1/turns/${turn_id}/receipt`)
    expect([open.status, await open.json()]).toMatchObject([409, { error: { code: "TURN_NOT_ENDED" } }])
    await world.drain()
    const stranger = await world.createAccount()
    expect((await stranger.call("GET", `/v1/turns/${turn_id}/receipt`)).status).toBe(404)
  })

  test("A refund is a second document that names the receipt, which does not change", async () => {
    const client = await world.createAccount()
    const { turn_id } = await client.runTurn({ space: await client.space() })
    const before = await receiptOf(client, turn_id)
    await refundTurn(contextOf(world), { turnId: turn_id, actor: "operator", note: "late" })
    const { receipt, refund } = await receiptOf(client, turn_id)
    expect(receipt).toEqual(before.receipt)
    expect(refund && isSigned(refund)).toBe(true)
    expect(refund?.document).toMatchObject({
      turn_id,
      receipt_digest: receipt.digest,
      refunded_usd: receipt.document.total_usd,
    })
  })

  test("A receipt has no texts, and is the same after the erasure of its end user", async () => {
    const client = await ownerWithAll(world, 10)
    const space = await client.space()
    const text = "[reply canary-reply]\ncanary-request"
    const { turn_id } = await client.runTurn({ space, text, metadata: { note: "canary-metadata" } })
    const before = await receiptOf(client, turn_id)
    expect(JSON.stringify(before)).not.toContain("canary")
    expect((await client.call("DELETE", "/v1/end-users/customer-1")).status).toBe(200)
    await world.drain()
    expect((await client.getTurn(turn_id)).text).toBe("")
    expect(await receiptOf(client, turn_id)).toEqual(before)
  })
})

describe("The signing keys", () => {
  test("They are public and may be kept for an hour", async () => {
    const { response } = await readSigningKeys(world)
    expect(response.headers.get("cache-control")).toBe("public, max-age=3600")
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("content-type")).toBe("application/jwk-set+json")
  })

  test("After a rotation new receipts have a new key, and old ones can be verified even without the old secret", async () => {
    const own = await createWorld()
    try {
      const kidsNow = async () => (await readSigningKeys(own)).kids
      const client = await own.createAccount()
      const { turn_id } = await client.runTurn({ space: await client.space() })
      const old = (await receiptOf(client, turn_id)).receipt
      const [first] = await kidsNow()
      const ring = own.env.SECRETS_KEYS as string
      const added = `next:${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
      await publishSigningKeys(contextOf(own), `${added},${ring}`)
      own.rebind({ SECRETS_KEYS: `${added},${ring}` })
      const rotated = (await receiptOf(client, turn_id)).receipt
      const both = await kidsNow()
      expect(both).toHaveLength(2)
      expect(both[1]).toBe(first)
      expect(rotated.document).toEqual(old.document)
      expect(rotated.signature).not.toBe(old.signature)
      expect([isSigned(old), isSigned(rotated)]).toEqual([true, true])
      own.rebind({ SECRETS_KEYS: added })
      expect(await kidsNow()).toEqual(both)
      expect(isSigned({ ...old, document: { ...old.document, total_usd: "0.0000001" } })).toBe(false)
    } finally {
      await own.close()
    }
  })
})
