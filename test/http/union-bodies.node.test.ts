import { expect, test } from "vitest"
import * as z from "zod"
import { modelPricesSchema } from "../../src/catalog/source-schemas.ts"
import { checkInput } from "../../src/http/check-input.ts"
import { validationError } from "../../src/http/validation-error.ts"

async function faultOf(schema: z.ZodType, value: unknown) {
  const { error } = await checkInput(schema, value)
  return error ? validationError(error.issues, "body") : null
}

test.each([
  [{ input: -1, cached: 1, output: 1 }, "input: must be at least 0", ["input"]],
  [
    { input: 1, cached: "one", output: 1 },
    'cached: must be a number, or a decimal in quotes with at most 7 decimals, such as "0.30"',
    ["cached"],
  ],
  [{ input: 1, cached: 1 }, "output: is required", ["output"]],
  [{ picture: -1 }, "picture: must be at least 0", ["picture"]],
  [{ picture: 1, pictures: 2 }, "pictures: There is no such field, only picture, provider.", ["pictures"]],
  [[], "The body: must be an object, not an array", []],
])("The error for a wrong body of one of two forms names its field: %j", async (body, message, path) => {
  const error = await faultOf(modelPricesSchema, body)
  expect(error).toMatchObject({ message, faults: [{ path, location: "body" }] })
})

const cat = z.strictObject({ kind: z.literal("cat"), lives: z.int().max(9), name: z.string().optional() })
const dog = z.strictObject({ kind: z.literal("dog"), bones: z.array(z.strictObject({ size: z.number() })) })

test.each([
  ["a tagged union", z.discriminatedUnion("kind", [cat, dog])],
  ["a plain union with tags", z.union([cat, dog])],
])("The error for the wrong value %s within a list names its field", async (_, pet) => {
  const pets = z.strictObject({ pets: z.array(pet) })
  const messages = await Promise.all(
    [
      { kind: "cat", lives: 10 },
      { kind: "dog", bones: [{ size: 1 }, { size: "2" }] },
      { kind: "cat", lives: 1, bones: [] },
    ].map(async (one) => (await faultOf(pets, { pets: [one] }))?.message),
  )
  expect(messages).toEqual([
    "pets.0.lives: must be at most 9",
    "pets.0.bones.1.size: must be a number, not a string",
    "pets.0.bones: There is no such field, only kind, lives, name.",
  ])
})

test("An error about an unknown or missing tag names the tag's field", async () => {
  const pets = z.discriminatedUnion("kind", [cat, dog])
  expect((await faultOf(pets, { kind: "cow" }))?.message).toBe('kind: must be one of "cat", "dog"')
  expect((await faultOf(pets, {}))?.message).toBe("kind: is required")
})

test("The error for a value of neither of two types names both", async () => {
  const either = z.strictObject({ id: z.union([z.string(), z.int()]) })
  expect((await faultOf(either, { id: [] }))?.message).toBe("id: must be a string or a number, not an array")
  expect((await faultOf(either, {}))?.message).toBe("id: is required")
})
