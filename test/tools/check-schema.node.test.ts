import { Validator } from "@cfworker/json-schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { schemaFault } from "../../src/agent-config/json-schema.ts"
import { valueFault } from "../../src/tools/check-schema.ts"

const LONG = 64 * 1024
const object = (properties: Record<string, unknown>, rest: object = {}) => ({ type: "object", properties, ...rest })
const list = <T>(length: number, item: (index: number) => T) => Array.from({ length }, (_, index) => item(index))

describe("Patterns that take a backtracking engine exponential time", () => {
  // V8 took seconds for each of them, and a check for nested repetitions accepted most of them.
  it.each([
    ["^(a|a)*$", "a"],
    ["^(a|aa)+$", "a"],
    ["^(a+)+$", "a"],
    ["^([a-zA-Z]+)*$", "a"],
    ["^(.*)*$x", "a"],
    ["^(a?){200}a{200}$", "a"],
    ["^(\\w+\\s?)+$", "a "],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
    ["(x+x+)+y", "x"],
    ["^((a|b|ab)*c?)*$", "ab"],
    ["^(?:a*)*(?:b*)*$", "a"],
    ["^[\\s\\S]*(.*)(.*)(.*)x$", "a"],
  ])("The check of pattern %s decides, or reports that it would take too long", (pattern, unit) => {
    expect(schemaFault(object({ a: { pattern } }))).toBeNull()
    const value = { a: `${unit.repeat(LONG / unit.length)}~` }
    for (const schema of [object({ a: { pattern } }), object({}, { patternProperties: { a: { pattern } } })]) {
      expect(outcome(schema, value)).toMatch(/should match|would take too long/)
    }
    expect(outcome(object({}, { propertyNames: { pattern } }), { [value.a]: 1 })).toMatch(/Invalid|would take too long/)
  })

  it.each([
    ["a look-ahead", { pattern: "(?=a)b" }],
    ["a look-behind", { pattern: "(?<=a)b" }],
    ["a back-reference", { pattern: "(a)\\1" }],
    ["an invalid pattern", { pattern: "[" }],
    ["repetitions in repetitions", { pattern: "((a{1,100}){1,100}){1,100}" }],
    ["repetitions that multiply", { pattern: `(?:(?:(?:${"a".repeat(1300)}){10}){10}){10}` }],
    ["repetitions of classes and escapes", { pattern: "(?:(?:[(){}\\]]\\(){100}){500}" }],
    ["text that only RE2 quotes", { pattern: "\\Qa" }],
    ["a pattern that is too long", { pattern: "[".repeat(5000) }],
    ["a pattern that is too large", { pattern: "[a-z]{1000}".repeat(40) }],
    ["too many large patterns", { anyOf: list(100, () => ({ pattern: "a{900}" })) }],
    ["a pattern in the names of properties", { patternProperties: { "(?!a)": {} } }],
    ["a deeply nested pattern", { anyOf: [{ not: { items: { pattern: "(?!a)" } } }] }],
  ])("A schema with %s is rejected when it is saved", (_, fault) => {
    expect(schemaFault(object({ a: fault }))).toMatch(/pattern/)
  })

  it("A text that only looks like a forbidden pattern is allowed", () => {
    expect(schemaFault(object({ pattern: { type: "string", const: { pattern: "(?=a)" } } }))).toBeNull()
  })
})

describe("Work that grows with schema and value", () => {
  const letters = "a".repeat(900)
  const doubling = Object.fromEntries(
    list(7, (level) => [
      `r${level}`,
      { allOf: [{ $ref: `#/$defs/r${level + 1}` }, { $ref: `#/$defs/r${level + 1}` }] },
    ]),
  )
  it.each<[string, object, unknown]>([
    ["branches × items", { items: { anyOf: list(2000, (n) => ({ const: -n - 1 })) } }, list(16_000, (n) => n)],
    ["an enum × items", { items: { enum: list(8000, (n) => -n - 1) } }, list(16_000, (n) => n)],
    ["required × items", { items: { required: list(8000, (n) => `k${n}`) } }, list(16_000, () => ({}))],
    ["patterns × items", { items: { pattern: "(a?){300}a{300}$" } }, list(70, () => letters)],
    ["a reference to itself", { $ref: "#/properties/a" }, 1],
  ])("The check of %s ends", (_, schema, value) => {
    expect(outcome(object({ a: schema }), { a: value })).toMatch(/would take too long/)
  })

  it("References that double the work are limited, and few of them are followed", () => {
    const of = (defs: object) => object({ a: { $ref: "#/$defs/r0" } }, { $defs: defs })
    expect(valueFault(of({ ...doubling, r7: { type: "number" } }), { a: 1 })).toBeNull()
    expect(schemaFault(of(Object.assign({}, ...list(10, (n) => ({ [`x${n}`]: doubling.r0 })), doubling)))).toMatch(
      /\$ref/,
    )
  })

  it("Texts used as patterns are compiled as far as the time allows", () => {
    const value = list(60, () => `(?:(?:(?:${"a".repeat(900)}){10}){5}){1}`)
    expect(outcome(object({ a: { items: { format: "regex" } } }), { a: value })).toMatch(/would take too long/)
  })

  it("Duplicate items are found among many", () => {
    const schema = object({ a: { uniqueItems: true } })
    expect(valueFault(schema, { a: list(16_000, (n) => n) })).toBeNull()
    expect(valueFault(schema, { a: [...list(16_000, (n) => ({ n, m: 1 })), { m: 1, n: 4 }] })).toMatch(/unique/)
  })
})

describe("Formats", () => {
  const FORMATS = (
    "date date-time time duration email hostname ipv4 ipv6 uri url uri-reference uuid json-pointer relative-json-pointer " +
    "regex"
  ).split(" ")
  const fault = (format: string, value: string) => valueFault(object({ a: { format } }), { a: value })

  it.each(FORMATS)("The format %s decides about any text of 64 KiB", (format) => {
    const units = ["a", "1", "1M", "/", ":", "..", "@", "%41", "a.", "-", "\\", "(", "http://a", "::1"]
    for (const unit of units) for (const end of ["", "!", "Y", "@"]) fault(format, `P${unit.repeat(LONG / 4)}${end}`)
    for (const begin of ["", "http://", "http://a@"]) {
      for (const unit of units) for (const end of ["!", "@"]) fault(format, `${begin}${unit.repeat(LONG / 4)}${end}`)
    }
  })

  it.each(FORMATS)(
    "The format %s decides about short texts that would take a backtracking engine forever",
    (format) => {
      for (const begin of ["", "http://", "http://a@", "a@", "P"]) {
        for (const unit of ["a", "1", "a-", "a.", "1M"]) fault(format, `${begin}${unit.repeat(40)}!`)
      }
    },
  )

  it.each([
    ["date", "2024-02-29", "2023-02-29"],
    ["date-time", "2026-11-22T10:00:00Z", "2026-11-22 10:00"],
    ["time", "10:00:00Z", "25:00:00Z"],
    ["duration", "P1DT2H", "1D"],
    ["email", "ada@people.test", "ada@"],
    ["hostname", "a.b-c.test", "-a.test"],
    ["ipv4", "10.0.0.255", "10.0.0.256"],
    ["ipv4", "1.2.3.4", "1.2.3.4."],
    ["ipv6", "2001:db8::1", "2001:db8:::1"],
    ["uri", "https://a.test/b?c=d#e", "/b"],
    ["url", "https://a.test", "https://"],
    ["uri-reference", "/b?c", "/b c"],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"],
    ["json-pointer", "/a/0", "a/0"],
    ["regex", "^a+$", "(?=a)"],
  ])("The format %s accepts %s and rejects %s", (format, right, wrong) => {
    expect(fault(format, right)).toBeNull()
    expect(fault(format, wrong)).not.toBeNull()
  })
})

it("Properties named like built-in object members are ordinary properties", () => {
  const value = JSON.parse('{"constructor":1,"__proto__":{"a":3},"toString":"x"}')
  expect(valueFault(object({ a: { type: "string" } }), value)).toBeNull()
  expect(valueFault(object({ constructor: { type: "string" } }), value)).toMatch(/constructor/)
  expect(valueFault(object({ a: {} }, { additionalProperties: false }), value)).toMatch(/constructor|toString/)
})

it("An invalid schema and a schema with a dangling reference accept no value", () => {
  expect(outcome(object({ a: { type: "nope" } }), { a: 1 })).toMatch(/schema is invalid/)
  expect(outcome(object({ a: { $ref: "#/$defs/none" } }), { a: 1 })).toMatch(/schema is invalid/)
  expect(outcome(object({ a: { $ref: "https://a.test/b.json" } }), { a: 1 })).not.toBe("")
})

it("The check agrees with another validator for random schemas and values", () => {
  const leaf = fc.oneof(
    fc.record({ type: fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object") }),
    fc.record({ enum: fc.array(fc.constantFrom(1, "a", null, true), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<unknown>(1, "a", [1], { x: 1 }) }),
    fc.record({ minimum: fc.integer({ min: -3, max: 3 }) }),
    fc.record({ maxLength: fc.nat(3), minLength: fc.nat(2) }),
    fc.record({ pattern: fc.constantFrom("^a", "b$", "[0-9]+", "^.{2}$") }),
    fc.record({ required: fc.uniqueArray(fc.constantFrom("x", "y")) }),
    fc.record({ uniqueItems: fc.boolean(), maxItems: fc.nat(3) }),
  )
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie("schema") }),
      fc.record({ items: tie("schema") }),
      fc.record({ properties: fc.record({ x: tie("schema"), y: tie("schema") }), additionalProperties: fc.boolean() }),
      fc.record({ patternProperties: fc.record({ "^x": tie("schema") }) }),
      fc
        .tuple(tie("schema"), tie("schema"), tie("schema"))
        .map((parts) => Object.fromEntries(["if", "then", "else"].map((word, at) => [word, parts[at]]))),
    ),
  }))
  const scalar = fc.constantFrom<unknown>(0, 1, 2.5, -4, "", "a", "ab", "a1b", true, null)
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 4 }),
    // Objects as JSON.parse makes them. The other validator treats an object without a prototype as
    // different from all others.
    fc.record({ x: scalar, y: scalar }, { requiredKeys: [], noNullPrototype: true }),
  )
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`seed ${seed}`)
  fc.assert(
    fc.property(schema, value, (inner, value) => {
      const whole = object({ v: inner })
      const theirs = new Validator(whole as ConstructorParameters<typeof Validator>[0], "2020-12").validate({
        v: value,
      })
      expect(outcome(whole, { v: value }) === "").toBe(theirs.valid)
    }),
    { seed, numRuns: 2000 },
  )
})

/** The error, or the reason why there is no result; "" for a valid value. */
function outcome(schema: Record<string, unknown>, value: unknown): string {
  try {
    return valueFault(schema, value) ?? ""
  } catch (error) {
    return (error as Error).message
  }
}
