import { afterAll, beforeAll, expect, test } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import { inParallel } from "../../src/base/in-parallel.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import type { Claim } from "../../src/runs/claim-turns.ts"
import { settleTurn } from "../../src/runs/settle-turns.ts"
import { acceptTurn } from "../../src/turns/accept-turn.ts"
import { claimTurn } from "../harness/claim.ts"
import { quietContextOf } from "../harness/context.ts"
import { expectBooks } from "../harness/promises.ts"
import { createSeller } from "../harness/resale.ts"
import { finishedStep } from "../harness/steps.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const HOLD = 10_000
const TURNS = 600

test.each([
  ["the end user's", { wallet: 200, account: 400 }],
  ["the account's", { wallet: 400, account: 200 }],
  ["both", { wallet: 300, account: 300 }],
] as const)(
  "Of 600 racing turns, exactly as many are accepted as the last cent of %s wallet pays for",
  async (_name, { wallet, account }) => {
    const { userId, client, space, putPrice, bill, credit, balance } = await createSeller(world, {
      usd: (account * HOLD) / 1e7,
    })
    await putPrice("triple", { multiplier: 3 })
    await bill("ada", { price: "triple", prepaid: true, low_balance_usd: 0 })
    await credit("ada", (wallet * HOLD * 3) / 1e7)
    const ctx = quietContextOf(world)
    const credential = parseApiKey(client.key) as KeyCredential
    const accepted: string[] = []
    const refused: Record<string, number> = {}
    const send = async (n: number) => {
      const body = { space, end_user_ref: "ada", text: "t", conversation: `c${n}`, max_cost_usd: HOLD / 1e7 }
      try {
        const { made } = await acceptTurn(ctx, credential, { idempotencyKey: crypto.randomUUID(), body })
        if (made.hold_credit_micros !== HOLD) throw new Error(`a hold of ${made.hold_credit_micros}`)
        accepted.push(made.turn_id)
      } catch (error) {
        const { code = String(error) } = error as { code?: string }
        refused[code] = (refused[code] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: TURNS }, (_, n) => send(n)))
    const most = Math.min(wallet, account)
    expect(accepted.length, JSON.stringify(refused)).toBe(most)
    const code = account <= wallet ? "INSUFFICIENT_CREDITS" : "END_USER_CREDIT_SPENT"
    expect(refused).toEqual({ [code]: TURNS - most })
    expect(await balance("ada")).toMatchObject({
      held_usd: (most * HOLD * 3) / 1e7,
      available_usd: ((wallet - most) * HOLD * 3) / 1e7,
    })
    // All of them spend their whole hold, and end at once.
    const claims: Claim[] = []
    for (const turnId of accepted) {
      const claim = await claimTurn(ctx, turnId)
      if (!claim) throw new Error(`${turnId} was not claimed`)
      claims.push(claim)
    }
    await inParallel(claims, async (claim) => {
      const step = finishedStep(0, { cost: HOLD })
      expect(await settleTurn(ctx, claim.turn, { state: "done", result: "r" }, { step })).toBe(true)
    })
    expect(await balance("ada")).toMatchObject({ balance_usd: ((wallet - most) * HOLD * 3) / 1e7, held_usd: 0 })
    const [sums] = await world.sql<{ charges: number; ledger: number; rows: number }>(
      `select (select sum(end_user_charge_credit_micros) from turns where user_id = $1)::float8 as charges,
       (select -sum(amount_credit_micros) from end_user_ledger where user_id = $1 and reason = 'usage')::float8 as ledger,
       (select count(*) from end_user_ledger where user_id = $1 and reason = 'usage')::float8 as rows`,
      [userId],
    )
    expect(sums).toEqual({ charges: most * HOLD * 3, ledger: most * HOLD * 3, rows: most })
    await expectBooks(world, userId)
  },
)
