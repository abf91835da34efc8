import { describe, expect, test } from "vitest"
import { inDraft2020 } from "../../src/agent-config/draft-2020.ts"
import { impossibleSchema } from "../../src/agent-config/impossible-schema.ts"
import { valueFault } from "../../src/tools/check-schema.ts"

const of = (point: object, rest: object = {}) => ({ type: "object", properties: { point }, ...rest })

describe("A schema of an earlier draft", () => {
  const TUPLE = { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false }

  test("A list of items is translated and checked in each place", () => {
    const schema = of(TUPLE, { $schema: "http://json-schema.org/draft-07/schema#" })
    expect(inDraft2020(schema)).toEqual(
      of({ type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false }),
    )
    expect(impossibleSchema(schema)).toBeNull()
    expect(valueFault(schema, { point: [1, "a"] })).toBeNull()
    expect(valueFault(schema, { point: ["a", 1] })).not.toBeNull()
    expect(valueFault(schema, { point: [1, "a", 2] })).not.toBeNull()
  })

  test("An empty list of items accepts everything, and additionalItems without a list is ignored", () => {
    const schema = of({ type: "array", items: [] }, { additionalItems: false })
    expect(inDraft2020(schema)).toEqual(of({ type: "array" }))
    expect(valueFault(schema, { point: [1, 2] })).toBeNull()
  })

  test("Dependencies of both kinds are checked", () => {
    const schema = of({}, { dependencies: { point: ["unit"], unit: { required: ["scale"] } } })
    expect(impossibleSchema(schema)).toBeNull()
    expect(valueFault(schema, { point: 1 })).toContain("unit")
    expect(valueFault(schema, { point: 1, unit: "m" })).toContain("scale")
    expect(valueFault(schema, { point: 1, unit: "m", scale: 2 })).toBeNull()
  })

  test("A reference into a list of items follows it, and a property named items stays", () => {
    const schema = of(TUPLE, { properties: { point: TUPLE, items: { $ref: "#/properties/point/items/1" } } })
    expect(valueFault(schema, { items: "a" })).toBeNull()
    expect(valueFault(schema, { items: 1 })).not.toBeNull()
  })

  test("Names and data that look like keywords stay", () => {
    const schema = of({ default: { items: [1] }, enum: [{ dependencies: { a: ["b"] } }] })
    expect(inDraft2020(schema)).toEqual(schema)
  })
})

test.each<[string, object, (string | number)[]]>([
  ["a multiple of 0", of({ multipleOf: 0 }), ["properties", "point", "multipleOf"]],
  ["a negative multiple", of({ multipleOf: -2 }), ["properties", "point", "multipleOf"]],
  ["a reference to itself", of({ $ref: "#/properties/point" }), ["properties", "point", "$ref"]],
  [
    "two references to each other",
    of({ $ref: "#/$defs/a" }, { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }),
    ["properties", "point", "$ref"],
  ],
  [
    "a reference to itself in anyOf",
    of({ $ref: "#/$defs/a" }, { $defs: { a: { anyOf: [{ type: "null" }, { $ref: "#/$defs/a" }] } } }),
    ["properties", "point", "$ref"],
  ],
  ["an anchor that leads to itself", of({ $anchor: "p", $ref: "#p" }), ["properties", "point", "$ref"]],
  ["dependencies that are a list", of({}, { dependencies: ["a"] }), ["dependencies"]],
  [
    "an exclusive bound of draft 4",
    of({ minimum: 1, exclusiveMinimum: true }),
    ["properties", "point", "exclusiveMinimum"],
  ],
  ["a required property of draft 3", of({ required: true }), ["properties", "point", "required"]],
  ["a type of draft 3", of({ type: "any" }), ["properties", "point", "type"]],
])("A schema with %s is refused at its place", (_what, schema, path) => {
  expect(impossibleSchema(schema as Record<string, unknown>)?.path).toEqual(path)
})

test("A tree that refers to itself through its properties is accepted", () => {
  const tree = of({ $ref: "#/$defs/node" }, { $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } } })
  expect(impossibleSchema(tree)).toBeNull()
  expect(impossibleSchema(of({ $ref: "#" }))).toBeNull()
  expect(valueFault(tree, { point: { next: { next: {} } } })).toBeNull()
})
