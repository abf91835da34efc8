import { expect } from "vitest"
import { newId } from "../../src/base/ids.ts"
import type { Ask } from "./account-people.ts"
import type { World } from "./world.ts"

/** Stores an open anomaly of an end user, and returns its id. */
export async function plantAnomaly(world: World, userId: number, ref: string): Promise<string> {
  const id = newId("anomaly", world.clock.now())
  await world.sql(
    `insert into anomalies (anomaly_id, user_id, kind, subject, first_day, last_day, spent_credit_micros, usual_credit_micros, found_at)
      values ($1, $2, 'end_user', $3, '2026-01-05', '2026-01-06', 2, 1, now())`,
    [id, userId, ref],
  )
  return id
}

/** Calls every operation on the forecast, the budget and the anomalies of a new account. */
export async function askAboutSpending(world: World, userId: number, ask: Ask): Promise<void> {
  expect(await ask("getForecast")).toMatchObject({ pace: null, expected_usd: null })
  expect(await ask("putBudget", {}, { amount_usd: 5 })).toEqual(await ask("getBudget"))
  expect(await ask("deleteBudget")).toMatchObject({ amount_usd: null, told: [] })
  const anomaly_id = await plantAnomaly(world, userId, "customer-1")
  expect([await ask("putAnomaly", { anomaly_id }, { state: "dismissed" })]).toEqual((await ask("listAnomalies")).items)
}
