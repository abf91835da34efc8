import { afterAll, beforeAll, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount({ usd: 1 })
})
afterAll(() => world.close())

const FORM = { type: "json_schema", name: "place" }

const chain = (levels: number) =>
  Object.fromEntries(
    Array.from({ length: levels }, (_, nth) => {
      const next = { $ref: `#/$defs/l${nth + 1}` }
      return [`l${nth}`, nth === levels - 1 ? { type: "string" } : { allOf: [next, next] }]
    }),
  )

test("A schema that no answer can fit, or that is too large, is refused with its place", async () => {
  const space = await client.space()
  const faulty: [schema: unknown, param: string, message: RegExp][] = [
    [false, "", /must be an object/],
    [{ $schema: "https://example.org/own" }, ".$schema", /draft/],
    [{ $ref: "https://example.org/schema" }, ".$ref", /outside/],
    [{ $ref: "#/$defs/none" }, ".$ref", /nothing/],
    [{ type: "string", enum: [1, 2] }, ".type", /contradicts/],
    [{ type: "object", required: ["a"], properties: { a: { not: {} } } }, ".properties.a.not", /excludes/],
    [{ type: "object", required: ["a"], additionalProperties: false }, ".required", /allows no such/],
    [{ type: "object", required: ["next"], properties: { next: { $ref: "#" } } }, ".properties.next.$ref", /itself/],
    [{ anyOf: [{ type: "string", const: 1 }, false] }, ".anyOf", /no branch/],
    [{ type: "integer", minimum: 3, exclusiveMaximum: 3 }, ".exclusiveMaximum", /no number/],
    [{ $defs: chain(40), $ref: "#/$defs/l0" }, "", /more than 2000 schemas on one value/],
    [{ type: "string", pattern: "(a{1,1000}){1,1000}" }, "", /pattern/],
    [{ type: "string", pattern: "(?=a)b" }, "", /look-arounds/],
    [{ enum: Array.from({ length: 5_001 }, (_, nth) => nth) }, "", /5001 values/],
    [JSON.parse(`${'{"items":'.repeat(70)}{}${"}".repeat(70)}`), "", /deeper/],
    [{ description: "x".repeat(70_000) }, "", /larger/],
  ]
  for (const [schema, place, message] of faulty) {
    const body = { space, end_user_ref: "e", text: "t", response_format: { ...FORM, schema } }
    const { status, body: refused } = await readAnswer(client.sendTurn(body))
    expect(status, JSON.stringify(schema).slice(0, 100)).toBe(422)
    expect(refused.error).toMatchObject({
      param: `response_format.schema${place}`,
      message: expect.stringMatching(message),
    })
  }
  const manifest = { response_format: { ...FORM, schema: { $ref: "#/none" } } }
  const put = await readAnswer(client.call("PUT", `/v1/spaces/${space}/manifest`, manifest))
  expect(put.body.error).toMatchObject({ param: expect.stringMatching("response_format.schema.\\$ref") })
})
