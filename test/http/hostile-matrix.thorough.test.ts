import { env as bindings } from "cloudflare:workers"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createAdminEstate } from "../harness/admin-requests.ts"
import { reconcileAsAdmin } from "../harness/books.ts"
import { dumpTables } from "../harness/dump.ts"
import { inGentleOrder, serveFullEstates } from "../harness/full-estate.ts"
import {
  type Cell,
  cellsOfAdmins,
  cellsOfKeys,
  cellsOfOwners,
  createTenant,
  type Grounds,
} from "../harness/hostile-cells.ts"
import { inBatches } from "../harness/keep-rows.ts"
import { expectBooks } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { keysOf } from "../harness/search.ts"
import { createWorld, type World } from "../harness/world.ts"

/** At least this many calls, so that a fault in the matrix does not go unnoticed. */
const LEAST = 5_000

let world: World
let grounds: Grounds
const counts: Record<string, number> = {}
const settings = bindings as unknown as { TURNPIKE_SEED: string }
const random = createRandom("the hostile matrix", Number(settings.TURNPIKE_SEED) || undefined)

beforeAll(async () => {
  world = await createWorld()
  serveFullEstates(world)
  const admins = await createAdminEstate(world, "hostile matrix")
  grounds = { world, admins, ours: await createTenant(world), theirs: await createTenant(world) }
  await world.drain()
  // The first signature stores its public key.
  const { client, ids } = grounds.ours
  await client.call("GET", `/v1/turns/${ids["ended/{turn_id}"]}/receipt`)
})
afterAll(() => world.close())

/** Reads that write: an export is in the audit log, and a worker takes calls. */
const READS_THAT_WRITE = ["exportEndUser", "takeCalls"]

/** True if the call must not write. Each look of an acting admin is in the audit log. */
function isQuiet({ refused, operation: { id, method }, who }: Cell): boolean {
  if (method !== "get") return refused !== null
  return who !== "an acting admin" && (refused !== null || !READS_THAT_WRITE.includes(id))
}

/** In an order by the seed. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, rank: random.int(2 ** 31) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item)

const mark = async () => ({ rows: await dumpTables(world), objects: (await keysOf(world)).sort() })

/** Sends a call and judges its answer. Returns what is wrong with it. */
async function judge(cell: Cell): Promise<string | null> {
  const { surface, operation, who, place, call, send, refused, foreign } = cell
  const response = await send(call)
  const text = await response.text()
  const { status } = response
  counts[surface] = (counts[surface] ?? 0) + 1
  const name = `${surface} ${operation.id}, ${who}, ${place} ids`
  const told = `${name}: ${status} ${text.slice(0, 200)}`
  if (status >= 500) return told
  if (refused && !refused.includes(status)) return told
  // An answer may repeat what the caller has sent.
  const sent = `${decodeURIComponent(call.path)} ${JSON.stringify(call.body ?? "")}`
  // The first steps show the account's own newest refused request, which named ids of others.
  const shown = operation.id === "getSetup" ? text.replace(/"refused":\[.*?\](?=,"|\})/, "") : text
  const isShown = foreign.some((word) => shown.includes(word) && !sent.includes(word))
  return isShown ? `${told} shows foreign words` : null
}

test("No hostile call of the matrix gets through, writes, or shows another account's words, and the books stay right", async () => {
  const cells = [...(await cellsOfKeys(grounds)), ...(await cellsOfOwners(grounds)), ...(await cellsOfAdmins(grounds))]
  const quiet = shuffled(cells.filter(isQuiet))
  const faults: string[] = []
  const before = await mark()
  await inBatches(quiet, async (cell) => {
    const fault = await judge(cell)
    if (fault) faults.push(fault)
  })
  expect(faults, `seed ${random.seed}`).toEqual([])
  expect(await mark(), "no refused call and no read has written").toEqual(before)

  // Calls that their caller may make, on ids of others. The ones that take something away come last.
  const rest = cells.filter((cell) => !isQuiet(cell))
  const order = inGentleOrder(rest.map((cell) => ({ cell, id: cell.operation.id, method: cell.operation.method })))
  for (const { cell } of order) {
    const fault = await judge(cell)
    if (fault) faults.push(fault)
  }
  expect(faults, `seed ${random.seed}`).toEqual([])

  await world.drain()
  for (const { client } of [grounds.ours, grounds.theirs]) await expectBooks(world, client.userId)
  const report = await reconcileAsAdmin(grounds.admins.admin)
  expect(report.findings).toEqual([])
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  console.log(
    `${total} hostile calls ${JSON.stringify(counts)}, seed ${random.seed}, ${report.findings.length} findings of the reconciliation`,
  )
  expect(total).toBeGreaterThanOrEqual(LEAST)
})
