import { expect } from "vitest"
import { CHEAP, CHEAP_USD, cappedAccount } from "./caps.ts"
import { expectBooks, expectPromises } from "./promises.ts"
import { waiter } from "./waiting.ts"
import { refundText, refundTool } from "./waiting-tools.ts"
import { turnOf, type World } from "./world.ts"

/** The sums of an account, in credit micros: holds of its wallet and its turns, and the use of the key's cap today. */
export async function heldSums(world: World, userId: number) {
  const [sums] = await world.sql<Record<"wallet" | "turns" | "reserved" | "spent", number>>(
    `select (select w.held_credit_micros + coalesce((select sum(s.held_credit_micros) from wallet_shards s where s.user_id = $1), 0)
        from wallets w where w.user_id = $1)::float8 as wallet,
      (select coalesce(sum(t.held_credit_micros), 0) from turns t where t.user_id = $1)::float8 as turns,
      coalesce(sum(c.reserved), 0)::float8 as reserved, coalesce(sum(c.spent), 0)::float8 as spent
     from (select k.reserved_credit_micros as reserved, k.spent_credit_micros as spent from spend_counters k
         where k.user_id = $1 and k.kind = 'key' and k.period = 'day' and k.starts_at = date_trunc('day', $2::timestamptz, 'UTC')
       union all select k.reserved_credit_micros, k.spent_credit_micros from spend_counter_shards k
         where k.user_id = $1 and k.kind = 'key' and k.period = 'day' and k.starts_at = date_trunc('day', $2::timestamptz, 'UTC')) c`,
    [userId, world.clock.now()],
  )
  return sums as NonNullable<typeof sums>
}

/**
 * Lets a turn of each end user wait, with `behind` turns after it: half of them are there before. Then frees all at
 * once. Checks the order in each conversation, and that holds and the key's cap are exact before, between and after.
 */
export async function blockAndFree(world: World, { people, behind }: { people: number; behind: number }) {
  const { userId, client } = await cappedAccount(world, { usd: 1_000, caps: { daily_usd: 900 } })
  const space = await client.space({ tools: [refundTool()] })
  const refs = Array.from({ length: people }, (_, n) => `customer-${n}`)
  const sendAll = async (count: number, text: string) => {
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const sent = refs.map(async (ref) => turnOf(await client.sendTurn({ space, end_user_ref: ref, text })))
      ids.push(...(await Promise.all(sent)).map(({ turn_id }) => turn_id))
    }
    return ids
  }
  const first = await sendAll(1, `${CHEAP}\n${refundText(80)}`)
  const early = await sendAll(behind / 2, CHEAP)
  const before = await heldSums(world, userId)
  await world.drain()
  const blocked = await heldSums(world, userId)
  const late = await sendAll(behind / 2, CHEAP)
  expect(await heldSums(world, userId)).toEqual(blocked)
  const cost = Math.round(people * CHEAP_USD * 1e7)
  expect(before).toEqual({ wallet: before.turns, turns: before.turns, reserved: before.turns, spent: 0 })
  expect(blocked).toEqual({ wallet: cost, turns: cost, reserved: cost, spent: 0 })
  await expectBooks(world, userId)

  await Promise.all(first.map((id) => waiter(client).decide(id, { decision: "deny" })))
  await world.drain()
  const [ended] = await world.sql<{ done: number; billed: number }>(
    "select count(*) filter (where state = 'done')::int as done, sum(billed_credit_micros)::float8 as billed from turns where user_id = $1",
    [userId],
  )
  const after = await heldSums(world, userId)
  expect(after).toEqual({ wallet: 0, turns: 0, reserved: 0, spent: ended?.billed })
  const disorder = await world.sql(
    `select p.turn_id from (select t.turn_id, t.started_at, lag(t.finished_at) over (partition by t.conversation_id order by t.position)
       as ended_before from turns t where t.user_id = $1) p where p.ended_before > p.started_at`,
    [userId],
  )
  expect(disorder).toEqual([])
  await expectPromises(world, userId)
  return { before, blocked, after, done: ended?.done, sent: first.length + early.length + late.length }
}
