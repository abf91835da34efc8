import { afterAll, beforeAll, expect, test } from "vitest"
import { isThorough } from "../harness/crash.ts"
import { serveCustomer } from "../harness/customer.ts"
import { ESTATE_HOST } from "../harness/estate.ts"
import { inBatches, keepRows } from "../harness/keep-rows.ts"
import { type V1Operation, v1Operations } from "../harness/operations.ts"
import {
  CALLERS,
  type CallerName,
  createMatrix,
  expectedOf,
  KEPT_TABLES,
  LISTS,
  namesPlace,
  PLACES,
  type PlaceName,
  scopeAnswer,
  wordsOfAbsence,
} from "../harness/scope-matrix.ts"
import { createWorld, type World } from "../harness/world.ts"

const callers = Object.keys(CALLERS) as CallerName[]
const places = Object.keys(PLACES) as PlaceName[]
/** The erasure of an end user comes last, because it removes data that the others need. */
const operations = v1Operations().operations.sort((one, other) => Number(erases(one)) - Number(erases(other)))
function erases({ id }: { id: string }) {
  return id === "eraseEndUser"
}
/** True if a call uses up something that a later call needs: a resource, or a place under a limit. */
const takes = ({ id, method }: { id: string; method: string }) =>
  method === "delete" || method === "put" || /^create(Space|Webhook)/.test(id)
/** The places for which a caller is asked. The default tier has one in three, so that all callers meet all places. */
function placesFor(operation: V1Operation, at: number): PlaceName[] {
  if (isThorough) return places
  // One answer shows everything if the call names no place.
  if (!namesPlace(operation)) return places.slice(at % places.length).slice(0, 1)
  return places.filter((_, nth) => (nth + at) % 3 === 0)
}
const cells = operations.flatMap((operation, nth) =>
  callers.flatMap((caller, at) => placesFor(operation, nth + at).map((place) => ({ operation, caller, place }))),
)

let world: World
beforeAll(async () => {
  world = await createWorld()
  serveCustomer(world, { host: ESTATE_HOST })
})
afterAll(() => world.close())

test(`The answers to ${cells.length} pairs of a key and a space, over all operations, match the key's scope`, async () => {
  const matrix = await createMatrix(world)
  await world.settled()
  const restore = await keepRows(world, KEPT_TABLES)
  const absence = new Map<string, string | null>()
  const hidden = cells.filter((cell) => namesPlace(cell.operation) && expectedOf(cell).code === "NOT_FOUND")
  for (const operation of new Set(hidden.map((cell) => cell.operation))) {
    absence.set(operation.id, await wordsOfAbsence(matrix, operation))
  }
  const wrong: string[] = []
  const check = async (cell: (typeof cells)[number]) => {
    const { operation, caller, place } = cell
    const expected = expectedOf(cell)
    const found = await scopeAnswer(matrix, cell)
    const where = `${operation.id}: ${caller}, ${place}`
    if (found.code !== expected.code) wrong.push(`${where}: ${found.status} ${found.code}`)
    for (const shown of LISTS.test(operation.id) ? places : []) {
      const isShown = expectedOf({ ...cell, place: shown }).shown
      if (isShown !== undefined && isShown !== found.shows(shown)) wrong.push(`${where}: shows ${shown}: ${!isShown}`)
    }
    if (found.code === "NOT_FOUND" && found.words !== absence.get(operation.id)) {
      wrong.push(`${where}: ${found.words}, not ${absence.get(operation.id)}`)
    }
  }
  // Refusals and reads write nothing, so they can share one state.
  const changes = (cell: (typeof cells)[number]) => cell.operation.method !== "get" && expectedOf(cell).code === null
  const quiet = cells.filter((cell) => !changes(cell))
  await inBatches(quiet, check)
  for (const cell of cells.filter(changes)) {
    await check(cell)
    if (!takes(cell.operation)) continue
    // Background work of an answer also writes.
    await world.settled()
    await restore()
  }
  expect(wrong, `${wrong.length} of ${cells.length} answers are wrong`).toEqual([])
})
