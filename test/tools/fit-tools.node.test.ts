import { describe, expect, test } from "vitest"
import { impossibleSchema } from "../../src/agent-config/impossible-schema.ts"
import type { BoundTool, ToolCallContext } from "../../src/tools/bound-tool.ts"
import { fitTools } from "../../src/tools/fit-tools.ts"

const context = {} as ToolCallContext

/** A tool that returns its input, in the form that the engine's provider gets. */
function fitted(inputSchema: Record<string, unknown>, engine: "anthropic" | "openai" = "anthropic", description = "d") {
  const tool: BoundTool = {
    spec: { name: "t", description, inputSchema },
    run: async (input) => ({ output: { type: "text", value: JSON.stringify(input) } }),
  }
  const { tools, leftOut } = fitTools(new Map([["t", tool]]), engine)
  return { tool: tools.get("t"), spec: tools.get("t")?.spec, leftOut }
}

describe.each(["anyOf", "oneOf", "allOf"])("A schema with %s at its root", (key) => {
  const schema = {
    type: "object",
    properties: { route: {} },
    [key]: [
      { required: ["route", "both"], properties: { both: { type: "string" }, route: { type: "string" } } },
      { $ref: "#/$defs/file" },
    ],
    additionalProperties: false,
    $defs: {
      file: { required: ["file", "both"], properties: { file: { type: "string" }, both: { type: "integer" } } },
    },
  }

  test("The schema is sent as one object with all properties", () => {
    const { spec } = fitted(schema)
    expect(Object.keys(spec?.inputSchema ?? {})).not.toContain(key)
    expect(spec?.inputSchema).toMatchObject({
      type: "object",
      properties: {
        route: { type: "string" },
        file: { type: "string" },
        both: { anyOf: [{ type: "string" }, { type: "integer" }] },
      },
      required: key === "allOf" ? ["route", "both", "file"] : ["both"],
    })
  })
})

test("Property names that Anthropic rejects are sent in another form, and the tool's call has its own names", async () => {
  const long = "x".repeat(70)
  const { tool, spec } = fitted({
    type: "object",
    properties: {
      $filter: { type: "string" },
      _filter: { type: "string" },
      [long]: { type: "string" },
      list: { type: "array", items: { type: "object", properties: { "a b": {} }, required: ["a b"] } },
    },
    required: ["$filter"],
  })
  expect(Object.keys(spec?.inputSchema.properties ?? {})).toEqual(["_filter_2", "_filter", "x".repeat(56), "list"])
  expect(spec?.inputSchema.required).toEqual(["_filter_2"])
  const run = await tool?.run({ _filter_2: "a", _filter: "b", list: [{ a_b: 1 }] }, context)
  expect(run?.output.value).toBe('{"$filter":"a","_filter":"b","list":[{"a b":1}]}')
})

test("A schema without properties gets an empty list of them", () => {
  expect(fitted({ type: "object" }, "openai").spec?.inputSchema).toEqual({ type: "object", properties: {} })
})

test("OpenAI gets at most 1,024 characters of a description, and 128 tools", () => {
  expect(fitted({ type: "object" }, "openai", "x".repeat(3000)).spec?.description).toHaveLength(1024)
  const spec = { description: "d", inputSchema: { type: "object" } }
  const run = async () => ({ output: { type: "text" as const, value: "" } })
  const many = Array.from({ length: 130 }, (_, n) => [`t${n}`, { spec: { ...spec, name: `t${n}` }, run }] as const)
  expect(fitTools(new Map(many), "openai").leftOut).toEqual(["t128", "t129"])
  expect(fitTools(new Map(many), "anthropic").leftOut).toEqual([])
})

const impossible: [string, Record<string, unknown>, (string | number)[]][] = [
  ["an unknown type", { properties: { a: { type: "int" } } }, ["properties", "a", "type"]],
  ["a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }, ["properties", "a", "$ref"]],
  ["a reference to a URL", { properties: { a: { $ref: "https://example.com/s" } } }, ["properties", "a", "$ref"]],
  ["required: true", { properties: { a: { type: "string", required: true } } }, ["properties", "a", "required"]],
  ["an empty enum", { properties: { a: { enum: [] } } }, ["properties", "a", "enum"]],
  ["properties as a list", { properties: [] }, ["properties"]],
  ["a property that is a text", { properties: { a: "string" } }, ["properties", "a"]],
  ["items that are a text", { properties: { a: { items: "string" } } }, ["properties", "a", "items"]],
  ["an empty anyOf", { anyOf: [] }, ["anyOf"]],
  ["a length that is a text", { properties: { a: { minLength: "1" } } }, ["properties", "a", "minLength"]],
  ["bounds that exclude each other", { properties: { a: { minimum: 2, maximum: 1 } } }, ["properties", "a", "minimum"]],
  ["a required property without values", { properties: { a: false }, required: ["a"] }, ["properties", "a"]],
]

test.each(impossible)("A schema with %s is impossible, and its tool is left out", (_what, more, path) => {
  const schema = { type: "object", ...more }
  expect(impossibleSchema(schema)?.path).toEqual(path)
  expect(fitted(schema).leftOut).toEqual(["t"])
})

test.each([
  [{ properties: { type: { type: "string" }, required: { type: "boolean" }, enum: {} } }],
  [{ properties: { a: { type: ["string", "null"], enum: ["b", null] }, b: true }, required: ["a", "c"] }],
  [{ properties: { self: { $ref: "#" }, other: { $ref: "#/$defs/a~1b" } }, $defs: { "a/b": {} } }],
  [{ properties: { a: { items: [{ type: "string" }] } }, default: { type: "int" }, examples: [{ required: true }] }],
])("A schema that allows calls is accepted: %j", (more) => {
  expect(impossibleSchema({ type: "object", ...more })).toBeNull()
})
