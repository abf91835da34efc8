import { expect, test } from "vitest"
import type { Actor } from "../../src/actor/actor.ts"
import type { CapRow } from "../../src/quotas/cap-state.ts"
import { type HoldRow, refusedBy } from "../../src/quotas/refusal.ts"

const OWNER = { kind: "session", member_id: null } as Actor
const NOW = new Date("2026-01-15T12:00:00Z")
const row = (more: Partial<HoldRow>): HoldRow => ({
  amount: null,
  needed: 100,
  available: 1000,
  held: 0,
  caps: [],
  max_cost: null,
  credit: null,
  ...more,
})
const capOf = (more: Partial<CapRow>): CapRow => ({
  cap: "key_daily",
  source: "key",
  limit_credit_micros: 200,
  spent_credit_micros: 150,
  reserved_credit_micros: 0,
  kind: "key",
  subject: "key_1",
  period: "day",
  is_counted: true,
  sharded: false,
  starts_at: "2026-01-15T00:00:00.000Z",
  resets_at: "2026-01-16T00:00:00.000Z",
  ...more,
})

test("A balance with some credit left names the rest and the needed amount, and an empty balance names neither", () => {
  expect(refusedBy(row({ available: 1 }), NOW, OWNER)).toEqual({
    code: "INSUFFICIENT_CREDITS",
    message: "Only 0.0000001 USD of the balance is available: top up. This turn needs at least 0.00001 USD.",
    details: { balance_usd: 0.0000001, held_usd: 0, available_usd: 0.0000001, needed_usd: 0.00001 },
    retry_after: null,
    retryable: false,
  })
  expect(refusedBy(row({ available: 0, held: 1 }), NOW, OWNER)).toEqual({
    code: "INSUFFICIENT_CREDITS",
    message: "Nothing of the balance is available: top up. 0.0000001 USD are held by turns under way.",
    details: { balance_usd: 0.0000001, held_usd: 0.0000001, available_usd: 0 },
    retry_after: null,
    retryable: false,
  })
})

test("The exact amount that a turn needs is enough, of the balance and of a cap, and one micro less is not", () => {
  expect(refusedBy(row({ available: 100 }), NOW, OWNER)).toBeNull()
  expect(refusedBy(row({ available: 99 }), NOW, OWNER)?.code).toBe("INSUFFICIENT_CREDITS")
  expect(refusedBy(row({ caps: [capOf({ spent_credit_micros: 100 })] }), NOW, OWNER)).toBeNull()
  expect(refusedBy(row({ caps: [capOf({ spent_credit_micros: 101 })] }), NOW, OWNER)?.code).toBe("QUOTA_EXCEEDED")
  expect(
    refusedBy(row({ caps: [capOf({ spent_credit_micros: 50, reserved_credit_micros: 51 })] }), NOW, OWNER),
  ).not.toBeNull()
})

test("The refusal names the cap that resets last, but first of all a cap that is always too small", () => {
  const day = capOf({})
  const month = capOf({ cap: "end_user_monthly", resets_at: "2026-02-01T00:00:00.000Z" })
  const small = capOf({ cap: "key_window", limit_credit_micros: 99, spent_credit_micros: 0, resets_at: null })
  for (const caps of [
    [day, month],
    [month, day],
  ]) {
    expect(refusedBy(row({ caps }), NOW, OWNER)).toMatchObject({
      details: { cap: "end_user_monthly" },
      retry_after: 16.5 * 86_400,
      retryable: true,
    })
  }
  for (const caps of [
    [small, month],
    [month, small],
  ]) {
    expect(refusedBy(row({ caps }), NOW, OWNER)).toMatchObject({
      details: { cap: "key_window" },
      retry_after: null,
      retryable: false,
    })
  }
  expect(
    refusedBy(row({ caps: [capOf({ limit_credit_micros: 100, spent_credit_micros: 1 })] }), NOW, OWNER),
  ).toMatchObject({
    retryable: true,
  })
})

test("The Retry-After header is whole seconds, at least 1, and never too short", () => {
  const after = (resets_at: string) => refusedBy(row({ caps: [capOf({ resets_at })] }), NOW, OWNER)?.retry_after
  expect(after("2026-01-15T12:00:01.000Z")).toBe(1)
  expect(after("2026-01-15T12:00:01.001Z")).toBe(2)
  expect(after("2026-01-15T12:00:00.000Z")).toBe(1)
})
