type Schema = Record<string, unknown>

const text = { type: "string" }
const whole = { type: "integer" }
const object = (properties: Schema, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
})
const closed = (properties: Schema, more: Schema = {}) => object(properties, { additionalProperties: false, ...more })
const list = (items: unknown, more: Schema = {}): Schema => ({ type: "array", items, ...more })
const DRAFT = (name: string) => ({ $schema: `http://json-schema.org/draft-0${name}/schema#` })
const NEW = (name: string) => ({ $schema: `https://json-schema.org/draft/${name}/schema` })
const names = (count: number) => Array.from({ length: count }, (_, nth) => `value ${nth}`)
const wide = (count: number) => Object.fromEntries(names(count).map((name) => [name.replace(" ", "_"), text]))
const deep = (levels: number): Schema => (levels === 0 ? text : closed({ inner: deep(levels - 1) }))

const NODE = { ...closed({ name: text, children: list({ $ref: "#/$defs/node" }) }) }
const CIRCLE = { type: "object", properties: { circle: { const: "circle" }, radius: { type: "number" } } }
const FORMATS = ["date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri"]

/** 60 schemas of results by name: types, recursion, unions, formats, limits, long lists, and drafts 4 to 2020-12. */
export const RESULT_SCHEMAS: Record<string, Schema> = {
  "an object": closed({ city: text, zip: whole }),
  "an object that may have more": object({ city: text }),
  "an object with an optional property": { type: "object", properties: { a: text, b: text }, required: ["a"] },
  "an empty object": { type: "object", properties: {}, additionalProperties: false },
  "a map": { type: "object", additionalProperties: whole },
  "a map with least entries": { type: "object", additionalProperties: text, minProperties: 2 },
  "a text": text,
  "a whole number": whole,
  "a number": { type: "number" },
  "true or false": { type: "boolean" },
  null: { type: "null" },
  "a list of texts": list(text),
  "a list of objects": list(closed({ id: whole })),
  "a list of lists": list(list(whole)),
  "a text or null": closed({ a: { type: ["string", "null"] } }),
  "a named constant": closed({ kind: { const: "place" } }),
  "a list of words": closed({ size: { enum: ["small", "large"] } }),
  "a list of mixed values": { enum: [1, "a", null, true, [1], { a: 1 }] },
  "a root list of words": { type: "string", enum: ["yes", "no"] },
  "an enum of 1,000 values": closed({ a: { enum: names(1_000) } }),
  "an enum of 3,000 values": closed({ a: { enum: names(3_000) } }),
  "any of two objects": { anyOf: [closed({ a: text }), closed({ b: whole })] },
  "one of two objects": { oneOf: [closed({ a: text }), closed({ b: whole })] },
  "a union in a property": closed({ of: { anyOf: [text, whole, { type: "null" }] } }),
  "a union by a word": list({
    oneOf: [closed({ type: { const: "a" }, a: text }), closed({ type: { const: "b" }, b: whole })],
  }),
  "all of two objects": { allOf: [object({ a: text }), object({ b: whole })] },
  "all of one reference": {
    ...closed({ a: { allOf: [{ $ref: "#/$defs/t" }], description: "A text." } }),
    $defs: { t: text },
  },
  "not a text": closed({ a: { not: { type: "null" }, type: "string" } }),
  "an if": JSON.parse(
    '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"if":{"properties":{"a":{"const":"x"}}},"then":{"required":["b"]}}',
  ),
  "a tree": { $ref: "#/$defs/node", $defs: { node: NODE } },
  "a tree at the root": closed({ name: text, children: list({ $ref: "#" }) }),
  "a list with a rest": {
    $ref: "#/$defs/l",
    $defs: { l: closed({ head: whole, rest: { anyOf: [{ $ref: "#/$defs/l" }, { type: "null" }] } }) },
  },
  "two types that name each other": {
    $ref: "#/$defs/a",
    $defs: {
      a: closed({ b: { anyOf: [{ $ref: "#/$defs/b" }, { type: "null" }] } }),
      b: closed({ a: { anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }] } }),
    },
  },
  "shared definitions": {
    ...closed({ from: { $ref: "#/$defs/p" }, to: { $ref: "#/$defs/p" } }),
    $defs: { p: closed({ x: whole }) },
  },
  "a reference into properties": closed({ a: closed({ x: whole }), b: { $ref: "#/properties/a" } }),
  formats: closed(Object.fromEntries(FORMATS.map((format) => [format.replace("-", "_"), { type: "string", format }]))),
  "an unknown format": closed({ a: { type: "string", format: "colour" } }),
  "a pattern": closed({ a: { type: "string", pattern: "^[a-z]+$" } }),
  "a pattern that the sample misses": closed({ a: { type: "string", pattern: "^[A-Z]{3}$" } }),
  "lengths of a text": closed({ a: { type: "string", minLength: 10, maxLength: 12 } }),
  "bounds of a number": closed({
    a: { type: "integer", minimum: 5, maximum: 9 },
    b: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
  }),
  "a multiple": closed({ a: { type: "integer", multipleOf: 7, minimum: 20 } }),
  "bounds of a list": closed({ a: list(text, { minItems: 2, maxItems: 3 }) }),
  "different items": closed({ a: list(whole, { minItems: 3, uniqueItems: true }) }),
  "a tuple": { type: "array", prefixItems: [text, whole], items: false, minItems: 2 },
  "a list that contains a word": list(text, { contains: { const: "x" }, minItems: 1 }),
  "names of properties": { type: "object", additionalProperties: whole, propertyNames: { pattern: "^[a-z]+$" } },
  "properties by pattern": { type: "object", patternProperties: { "^x": whole }, additionalProperties: false },
  "a property that needs another": { ...object({ a: text, b: text }), dependentRequired: { a: ["b"] } },
  "names with spaces": closed({ "first name": text, größe: whole }),
  "a name of the language": closed({ constructor: text, toString: whole }),
  "100 properties": closed(wide(100)),
  "300 optional properties": { type: "object", properties: wide(300) },
  "10 levels": deep(10),
  "25 levels": deep(25),
  "draft 4": { ...DRAFT("4"), ...object({ a: { type: "number", minimum: 0, exclusiveMinimum: true } }) },
  "draft 6": { ...DRAFT("6"), ...object({ a: { $ref: "#/definitions/a" } }), definitions: { a: { const: 1 } } },
  "draft 7 with a tuple": { ...DRAFT("7"), type: "array", items: [text, whole], additionalItems: false, minItems: 2 },
  "draft 2019-09 with $recursiveRef": {
    ...NEW("2019-09"),
    $recursiveAnchor: true,
    ...closed({ name: text, children: list({ $recursiveRef: "#" }) }),
  },
  "draft 2020-12 with unevaluated": {
    ...NEW("2020-12"),
    allOf: [CIRCLE],
    required: ["radius"],
    unevaluatedProperties: false,
    type: "object",
  },
}
