import { expect, test } from "vitest"
import type * as z from "zod"
import { SURFACES } from "../../scripts/documents.ts"
import { MAX_VALUES, shapeFault } from "../../src/base/storable.ts"
import { checkInput, MAX_FAULTS } from "../../src/http/check-input.ts"
import { validationError } from "../../src/http/validation-error.ts"

const MIB = 1024 * 1024
const bodiesOf = (values: number) => ({
  fields: Object.fromEntries(Array.from({ length: values }, (_, n) => [n.toString(36), 1])),
  items: Array.from({ length: values }, () => 1),
})
const WHOLE = bodiesOf(MAX_VALUES)
/** Still far more errors than an answer may have. */
const SMALLER = bodiesOf(MAX_VALUES / 20)

/**
 * Values that fill a body of an operation: unknown fields, and a list or an object full of errors in each field. One
 * operation in eight gets as many values as a body may have.
 */
function hostileBodies(body: z.ZodType, place: number): unknown[] {
  const names = Object.keys((body as unknown as { shape?: object }).shape ?? {})
  const { fields, items } = place % 8 === 0 ? WHOLE : SMALLER
  return [fields, items, ...names.flatMap((name) => [{ [name]: fields }, { [name]: items }])]
}

const operations = Object.values(SURFACES).flatMap(({ app }) => app.operations.filter(({ body }) => body !== undefined))

const numbered = operations.map(({ id, body }, place) => ({ id, body, place }))

test.each(numbered)("$id answers a hostile body with only a few errors", async ({ body, place }) => {
  for (const hostile of hostileBodies(body as z.ZodType, place)) {
    const checked = await checkInput(body as z.ZodType, hostile)
    if (checked.success) continue
    const { faults, details } = validationError(checked.error.issues, "body")
    expect(faults.length).toBeLessThanOrEqual(MAX_FAULTS)
    expect(JSON.stringify([faults, details]).length).toBeLessThan(256 * 1024)
  }
})

test("A body with too many values is refused before it is parsed", () => {
  const list = (values: number) => JSON.stringify({ files: Array.from({ length: values }, () => 1) })
  expect(shapeFault(list(MAX_VALUES))).toBeNull()
  expect(shapeFault(list(MIB / 2))).toMatch(/more than 50000 values/)
  expect(shapeFault(JSON.stringify({ text: ",".repeat(MIB) })), "a comma in a text is not a value").toBeNull()
})

test("An unknown field with a name of a megabyte is reported by the beginning of its name", async () => {
  const [operation] = operations
  const checked = await checkInput(operation?.body as z.ZodType, { ["x".repeat(MIB)]: 1 })
  const { message, faults } = validationError(checked.error?.issues ?? [], "body")
  expect(message.length).toBeLessThan(1000)
  expect(JSON.stringify(faults).length).toBeLessThan(10_000)
})
