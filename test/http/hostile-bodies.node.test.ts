import { expect, test } from "vitest"
import type * as z from "zod"
import { SURFACES } from "../../scripts/documents.ts"
import { MAX_VALUES, shapeFault } from "../../src/base/storable.ts"
import { checkInput, MAX_FAULTS } from "../../src/http/check-input.ts"
import { validationError } from "../../src/http/validation-error.ts"

const MIB = 1024 * 1024
const FIELDS = Object.fromEntries(Array.from({ length: MAX_VALUES }, (_, n) => [n.toString(36), 1]))
const ITEMS = Array.from({ length: MAX_VALUES }, () => 1)

/**
 * Values that fill a whole body of an operation: unknown fields, and a list or an object full of
 * errors in each field.
 */
function hostileBodies(body: z.ZodType): unknown[] {
  const fields = Object.keys((body as unknown as { shape?: object }).shape ?? {})
  // A field takes a tenth of them: every size has more errors than an answer may have.
  const [some, items] = [
    Object.fromEntries(Object.entries(FIELDS).slice(0, MAX_VALUES / 10)),
    ITEMS.slice(0, MAX_VALUES / 10),
  ]
  return [FIELDS, ITEMS, ...fields.flatMap((name) => [{ [name]: some }, { [name]: items }])]
}

const operations = Object.values(SURFACES).flatMap(({ app }) => app.operations.filter(({ body }) => body !== undefined))

test.each(operations)("$id answers a hostile body with only a few errors", async ({ body }) => {
  for (const hostile of hostileBodies(body as z.ZodType)) {
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
