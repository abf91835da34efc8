import { afterAll, beforeAll, expect, test } from "vitest"
import { serveCustomer } from "../harness/customer.ts"
import { ESTATE_HOST } from "../harness/estate.ts"
import { v1Operations } from "../harness/operations.ts"
import {
  CALLERS,
  type CallerName,
  createMatrix,
  expectedOf,
  keepTables,
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
const cells = operations.flatMap((operation) =>
  callers.flatMap((caller) => places.map((place) => ({ operation, caller, place }))),
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
  const restore = await keepTables(world)
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
    const isRight = found.code === expected.code && (expected.shown ?? found.shown) === found.shown
    if (!isRight)
      wrong.push(`${operation.id}: ${caller}, ${place}: ${found.status} ${found.code}, shown ${found.shown}`)
    if (found.code === "NOT_FOUND" && found.words !== absence.get(operation.id)) {
      wrong.push(`${operation.id}: ${caller}, ${place}: ${found.words}, not ${absence.get(operation.id)}`)
    }
  }
  // Refusals and reads write nothing, so they can share one state.
  const changes = (cell: (typeof cells)[number]) => cell.operation.method !== "get" && expectedOf(cell).code === null
  const quiet = cells.filter((cell) => !changes(cell))
  for (let at = 0; at < quiet.length; at += 50) await Promise.all(quiet.slice(at, at + 50).map(check))
  for (const cell of cells.filter(changes)) {
    await check(cell)
    if (!takes(cell.operation)) continue
    // Background work of an answer also writes.
    await world.settled()
    await restore()
  }
  expect(wrong, `${wrong.length} of ${cells.length} answers are wrong`).toEqual([])
})
