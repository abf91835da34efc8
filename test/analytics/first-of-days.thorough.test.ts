import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await world.sql("create table told as select * from turn_ends")
  // The accounts of the turns, because a report counts them under their brand.
  await world.sql(
    "insert into users (user_id, name) overriding system value select n, n::text from generate_series(1, 11) n on conflict do nothing",
  )
})
afterAll(() => world.close())

const random = createRandom("first of days")
const [DAYS, ROUNDS] = [9, 12]
const SUMS = [
  "turns",
  "calls",
  "tokens_input",
  "tokens_cached",
  "tokens_output",
  "cost_credit_micros",
  "billed_credit_micros",
  "refunded_credit_micros",
]

interface Turn {
  day: number
  space: number
  billed: number
}

/** Turns of some days: some spaces have many more than others, and some have no bills or equal bills. */
function drawTurns(count: number, areEqual: boolean): Turn[] {
  return Array.from({ length: count }, () => {
    const space = 1 + Math.floor(30 ** (random.int(1_000) / 1_000))
    const billed = random.int(4) === 0 ? 0 : random.int(3) * 50 + (areEqual ? 0 : random.int(40))
    return { day: random.int(DAYS), space, billed }
  })
}

/** Queues the turns, one call each, and rolls up the first rows of the queue. */
async function queueTurns(turns: Turn[], rolled: number): Promise<void> {
  await world.sql(
    `with queued as (insert into turn_ends (ended_at, user_id, writer_id, space_id, tokens_input, tokens_cached, tokens_output, tokens_input_most,
       cost_credit_micros, billed_credit_micros, duration_us, calls, keyed_calls, pictures, turns, pooled, test, provider_key, role, model, state, turn_id, end_user_ref)
     select timestamptz '2026-10-20 07:00Z' + t.day * interval '1 day', 1 + t.space % 11, 1 + t.space % 11, t.space, 7, 3, 5, 7, t.billed + 1, t.billed,
       1000, 1, 1, 0, 1, false, false, 'anthropic', 'orchestrator', 'claude/large', 'done', 'turn_of_' || t.space, ''
     from jsonb_to_recordset($1::jsonb) t(day integer, space bigint, billed bigint)
     returning *) insert into told select * from queued`,
    [JSON.stringify(turns)],
  )
  await world.sql(`select ${RELEASE}.roll_turns($1::integer)`, [rolled])
}

/** The rows of `told`, which contains everything that was queued. */
const plainList = (key: string) => `
  select ${key}, ${SUMS.map((column) => `sum(${column})::bigint as ${column}`).join(", ")} from told
  where ended_at >= $1::timestamptz and ended_at < $2::timestamptz group by ${key} order by sum(billed_credit_micros) desc, ${key} limit $3`

test("The top rows of a range of days are proved right or omitted, rolled up and queued, however few rows per day are read", async () => {
  const met = { proved: 0, unproved: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    await queueTurns(drawTurns(5 + random.int(150), round < ROUNDS / 3), random.int(160))
    for (let n = 0; n < 25; n++) {
      const first = random.int(DAYS)
      const at = (day: number) => new Date(Date.parse("2026-10-20") + day * 86_400_000)
      const range = [at(first), at(first + 1 + random.int(DAYS - first))]
      const [limit, most] = [1 + random.int(6), random.pick([1, 2, 3, 5, 8, 1_000])]
      for (const [name, key] of [
        ["leading_spaces", "space_id"],
        ["leading_users", "user_id"],
      ]) {
        const said = await world.sql(
          `select * from ${RELEASE}.${name}($1::timestamptz, $2::timestamptz, $3::integer, $4::integer)`,
          [...range, limit, most],
        )
        const plain = await world.sql(plainList(key as string), [...range, limit])
        const shown = `seed ${random.seed}, round ${round}, ${name}(${range.map(String)}, ${limit}, ${most})`
        const isProvable = plain.length === limit && Number(plain.at(-1)?.billed_credit_micros) > 0
        // If all rows of each day are read, no row has to be proved.
        if (said.length > 0 || (most === 1_000 && isProvable)) expect(said, shown).toEqual(plain)
        met[said.length > 0 ? "proved" : "unproved"]++
      }
    }
  }
  console.log(`seed ${random.seed}: ${JSON.stringify(met)}`)
  expect(Math.min(met.proved, met.unproved)).toBeGreaterThan(60)
})

test("Of two rows with equal bills, the one with the lower id precedes the one seen first", async () => {
  const day = DAYS + 30
  await queueTurns([{ day, space: 500, billed: 50 }], 1_000)
  await queueTurns([{ day, space: 501, billed: 100 }], 1_000)
  await queueTurns([{ day, space: 500, billed: 50 }], 1_000)
  const at = (n: number) => new Date(Date.parse("2026-10-20") + n * 86_400_000)
  const first = (most: number) =>
    world.sql(`select space_id::int from ${RELEASE}.leading_spaces($1::timestamptz, $2::timestamptz, 1, $3::integer)`, [
      at(day),
      at(day + 1),
      most,
    ])
  expect(await first(1)).toEqual([])
  expect(await first(3)).toEqual([{ space_id: 500 }])
})
