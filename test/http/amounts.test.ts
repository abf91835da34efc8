import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const { userId } = await world.createAccount({ usd: 0 })
  client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
})
afterAll(() => world.close())

const limits = async (daily_usd: unknown) => {
  const response = await client.call("PUT", "/v1/end-users/customer-1/limits", { daily_usd })
  // biome-ignore lint/suspicious/noExplicitAny: an error or the end user
  const answer = (await response.json()) as any
  return [response.status, { error: answer.error, ...answer.limits }] as const
}

describe("An amount may be a decimal string", () => {
  test.each([
    ["0.30", 0.3],
    ["100.0", 100],
    ["3.3000000", 3.3],
    ["0.00000010000", 1e-7],
    ["1000000", 1_000_000],
    ["0", 0],
  ])("%s is exactly %d", async (text, usd) => {
    const [status, { daily_usd }] = await limits(text)
    expect([status, daily_usd]).toEqual([200, usd])
  })

  test.each([
    "1e999",
    "1e3",
    "0.00000001",
    "0.30000000000000004",
    "1,50",
    "1.",
    ".5",
    "+1",
    " 1",
    "",
    "NaN",
    "0x10",
    "१",
    "1000000.01",
    "-1",
  ])("%s is refused with the field's name and a reason", async (text) => {
    const [status, { error }] = await limits(text)
    expect([status, error.code, error.param]).toEqual([422, "VALIDATION_FAILED", "daily_usd"])
    expect(error.message).toMatch(/must (be|have)/)
  })

  test("A sum of prices as JavaScript adds them is refused as a number, and accepted as text with its decimals", async () => {
    expect((await limits(0.1 + 0.2))[1].error.message).toMatch(/at most 7 decimals/)
    expect((await limits((0.1 + 0.2).toFixed(7)))[1].daily_usd).toBe(0.3)
    expect((await limits((1.1 * 3).toFixed(2)))[1].daily_usd).toBe(3.3)
  })

  test("A number that is too large for JSON is named so, without a hint that does not help", async () => {
    const response = await world.invoke(
      new Request("https://api.test/v1/end-users/customer-1/limits", {
        method: "PUT",
        headers: { authorization: `Bearer ${client.key}`, "content-type": "application/json" },
        body: '{"daily_usd": 1e999}',
      }),
    )
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("1e999 is too large")])
  })

  test("Credit is booked once per key, whether its amount is a number or a string", async () => {
    const path = `/api/admin/users/${client.userId}/credits`
    const book = (amount_usd: unknown, key: string) =>
      admin.json("POST", path, { reason: "admin_grant", amount_usd, note: "Paid" }, { "idempotency-key": key })
    for (const [amount, key] of [
      ["5.10", "a"],
      [5.1, "a"],
      ["0.0000001", "b"],
    ] as const)
      expect((await book(amount, key))[0]).toBeLessThan(300)
    expect((await book("5.2", "a"))[0]).toBe(422)
    expect((await book("0.00", "c"))[0]).toBe(422)
    const balance = (await (await client.call("GET", "/v1/balance")).json()) as { balance_usd: number }
    expect(balance.balance_usd).toBe(5.1000001)
  })
})
