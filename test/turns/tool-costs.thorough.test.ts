import { afterAll, beforeAll, expect, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { expectBooks } from "../harness/promises.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

const TURNS = 1000
const AT_ONCE = 10

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/**
 * Random directives: sequential and parallel calls, and tasks for sub-agents that make calls and
 * cost credit too.
 */
function randomText(random: Random, depth = 0): string {
  const lines = [`[use input=${random.int(4000)} cached=${random.int(500)} output=${random.int(2000)}]`]
  for (let calls = random.int(4); calls > 0; calls--) {
    const and = lines.length > 1 && random.int(2) ? "and " : ""
    if (depth === 0 && random.int(2)) {
      lines.push(`[${and}delegate researcher ${randomText(random, 1).replaceAll("\n", "\\n")}]`)
    } else lines.push(`[${and}call lookup_order {"id":"${random.int(100)}"}]`)
  }
  if (depth === 0 && random.int(4) === 0) lines.push("[write out.txt content]")
  return lines.join("\n")
}

test(`Random turns (${TURNS}) with tools and sub-agents keep charge ≤ hold ≤ max_cost_usd, and usage sums to the bill`, async () => {
  const random = createRandom("costs of tools")
  const client = await world.createAccount({ usd: 1000 })
  serveCustomer(world)
  const space = await client.space({
    tools: [orderTool()],
    secrets: { TOKEN: "canary" },
    manifest: { subagents: [{ name: "researcher", description: "Finds out." }], max_output_tokens: 2000 },
  })
  let accepted = 0
  for (let sent = 0; sent < TURNS; sent += AT_ONCE) {
    const turns = Array.from({ length: AT_ONCE }, (_, index) => {
      const max = random.int(5) === 0 ? {} : { max_cost_usd: (1 + random.int(1_000_000)) / 10_000_000 }
      return client.sendTurn({ space, end_user_ref: `c${sent + index}`, text: randomText(random), ...max })
    })
    for (const response of await Promise.all(turns)) {
      if (response.status === 202) accepted++
      else expect((await response.json()) as object).toMatchObject({ error: { code: "COST_LIMIT_TOO_LOW" } })
    }
    await world.drain()
  }
  const rows = await world.sql<{
    state: string
    error: string | null
    hold: number
    max: number | null
    billed: number
    cost: number
    usage: number
    ledger: number
    roles: number
  }>(
    `select state, error_code as error, hold_credit_micros::float8 as hold, max_cost_credit_micros::float8 as max,
       billed_credit_micros::float8 as billed, cost_credit_micros::float8 as cost,
       (select coalesce(sum(u.billed_credit_micros), 0) from usage u where u.turn_id = t.turn_id)::float8 as usage,
       (select coalesce(-sum(l.amount_credit_micros), 0) from ledger l where l.turn_id = t.turn_id)::float8 as ledger,
       (select count(distinct role) from usage u where u.turn_id = t.turn_id)::int as roles
     from turns t where user_id = $1`,
    [client.userId],
  )
  expect(rows).toHaveLength(accepted)
  const ends: Record<string, number> = {}
  for (const row of rows) {
    const end = row.error ?? row.state
    ends[end] = (ends[end] ?? 0) + 1
    expect(row.billed, `seed ${random.seed}`).toBeLessThanOrEqual(row.hold)
    expect(row.hold).toBeLessThanOrEqual(row.max ?? Number.POSITIVE_INFINITY)
    expect([row.cost, row.usage, row.ledger]).toEqual([row.billed, row.billed, row.billed])
  }
  console.log(`costs of tools: ${JSON.stringify(ends)}, seed ${random.seed}`)
  expect(ends.done, "some turns stay within their limit").toBeGreaterThan(TURNS / 10)
  expect(ends.COST_LIMIT_REACHED, "some turns reach it").toBeGreaterThan(TURNS / 20)
  expect(rows.filter(({ roles }) => roles === 2).length, "some turns have sub-agents").toBeGreaterThan(TURNS / 10)
  await expectBooks(world, client.userId)
})
