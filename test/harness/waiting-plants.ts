import type { KeyCredential } from "../../src/actor/actor.ts"
import type { Context } from "../../src/actor/context.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { waitTurn } from "../../src/runs/wait-turn.ts"
import { acceptTurn } from "../../src/turns/accept-turn.ts"
import { claimTurn } from "./claim.ts"
import { BARE } from "./customer.ts"
import { nextDay } from "./reference-caps.ts"
import type { World } from "./world.ts"

/** An account with turns that all wait for the daily cap of its key, in the order of `turns`. */
export async function plantWaits(
  world: World,
  context: Context,
  { count, needed, daily }: { count: number; needed: number; daily: number },
) {
  const { userId } = await world.createAccount({ usd: 0.25 * count + 10 })
  const { value, key_id } = await world.makeKey(userId, { scope: "all" })
  const space = await world.createClient(userId, value).space(BARE)
  const credential = parseApiKey(value) as KeyCredential
  const turns: string[] = []
  for (let n = 0; n < count; n++) {
    const body = { space, end_user_ref: `c${n}`, text: "t" }
    const { made } = await acceptTurn(context, credential, { idempotencyKey: `${n}`, body })
    const claim = await claimTurn(context, made.turn_id)
    if (!claim) throw new Error("not claimed")
    const limit = {
      boundBy: "key_daily",
      counter: key_id,
      resetsAt: new Date(nextDay(world.clock.ms())).toISOString(),
      needed,
      wanted: needed,
    } as const
    await waitTurn(context, claim.turn, { calls: [], limit, maxSeconds: 30 * 86_400 })
    turns.push(made.turn_id)
    await world.advance(1)
  }
  await world.sql("update api_keys set daily_credit_micros = $2 where key_id = $1", [key_id, daily])
  return { userId, keyId: key_id, turns }
}
