import { afterAll, beforeAll, expect, test } from "vitest"
import { isThorough } from "../harness/crash.ts"
import { serveCustomer } from "../harness/customer.ts"
import { dumpTables } from "../harness/dump.ts"
import { ESTATE_HOST } from "../harness/estate.ts"
import { inBatches } from "../harness/keep-rows.ts"
import type { RefusedTry } from "../harness/refusals.ts"
import { IDP_SECRET, triesOfMoney, triesWithoutSession } from "../harness/refused-elsewhere.ts"
import { triesOfAdmins, triesOfKeys, triesOfOwners } from "../harness/refused-sessions.ts"
import { keysOf } from "../harness/search.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let tries: RefusedTry[]
beforeAll(async () => {
  world = await createWorld({ env: { IDP_INTERNAL_SECRET: IDP_SECRET } })
  serveCustomer(world, { host: ESTATE_HOST })
  const kinds = [triesOfKeys, triesOfOwners, triesOfAdmins, triesWithoutSession, triesOfMoney]
  const made: RefusedTry[] = []
  for (const kind of kinds) made.push(...(await kind(world)))
  // In the default tier each operation has about one in three of its refusals.
  tries = made.filter((_, at) => isThorough || (at + Math.floor(at / 3)) % 3 === 0)
})
afterAll(() => world.close())

/** What a request could leave. */
const left = async () => ({
  rows: await dumpTables(world),
  objects: await keysOf(world),
  messages: (await world.qstash.due()).length,
})

const nameOf = ({ id, why }: RefusedTry) => `${id}: ${why}`

test("A refused request leaves no row, no object and no message", async () => {
  await world.drain()
  const wrong: string[] = []
  const before = await left()
  await inBatches(tries, async (one) => {
    const response = await one.send(one.call)
    if (!one.statuses.includes(response.status))
      wrong.push(`${nameOf(one)}: ${response.status} ${(await response.text()).slice(0, 200)}`)
  })
  const after = await left()
  console.log(
    `${tries.length} refused requests of ${new Set(tries.map(({ call, id }) => `${call.path.split("/")[2]} ${id}`)).size} operations`,
  )
  expect(wrong, "requests that got another status").toEqual([])
  if (JSON.stringify(after) !== JSON.stringify(before)) await nameCulprits()
  expect(after).toEqual(before)
})

/** Sends the requests again, one by one, and throws with the ones that left something. */
async function nameCulprits() {
  const culprits: string[] = []
  let before = await left()
  for (const one of tries) {
    const headers = { ...one.call.headers }
    if (headers["idempotency-key"]?.startsWith("refused")) headers["idempotency-key"] = crypto.randomUUID()
    await (await one.send({ ...one.call, headers })).text()
    const after = await left()
    const tables = Object.keys(after.rows).filter((table) => after.rows[table] !== before.rows[table])
    if (JSON.stringify(after) !== JSON.stringify(before)) culprits.push(`${nameOf(one)}: ${tables.join(", ")}`)
    before = after
  }
  expect(culprits).toEqual([])
}
