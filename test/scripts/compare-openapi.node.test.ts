import { describe, expect, test } from "vitest"
import { type Contract, compareDocuments } from "../../scripts/openapi/compare.ts"

const TODAY = "2027-01-01"

/** A document with one operation, which is large enough for every kind of change. */
const document = () => ({
  paths: {
    "/v1/turns": {
      post: {
        operationId: "createTurn",
        parameters: [
          {
            name: "wait",
            in: "query",
            required: false,
            schema: { type: "integer", maximum: 30 } as Record<string, unknown>,
          },
        ],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/CreateTurn" } } },
        },
        responses: {
          "202": { content: { "application/json": { schema: { $ref: "#/components/schemas/Turn" } } } },
          "429": { $ref: "#/components/responses/Limited" },
        } as Record<string, unknown>,
      } as Record<string, unknown>,
    },
  } as Record<string, Record<string, Record<string, unknown>>>,
  webhooks: {
    "turn.done": {
      post: {
        operationId: "turnDone",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Turn" } } } },
        responses: {},
      },
    },
  } as Record<string, Record<string, unknown>>,
  components: {
    schemas: {
      CreateTurn: {
        type: "object",
        required: ["text"],
        properties: {
          text: { type: "string", maxLength: 100 },
          mode: { type: "string", enum: ["fast", "slow"] },
          cost: { type: ["number", "null"] },
          next: { $ref: "#/components/schemas/CreateTurn" },
        },
      },
      Turn: {
        type: "object",
        required: ["turn_id", "state"],
        properties: {
          turn_id: { type: "string" },
          state: { anyOf: [{ type: "string", enum: ["queued", "done"] }, { type: "string" }] },
          result: { type: ["string", "null"] },
        },
      },
    } as Record<string, { required: string[]; properties: Record<string, Record<string, unknown>> }>,
    responses: { Limited: { content: { "application/json": { schema: { type: "object" } } } } },
  },
})

type Sample = ReturnType<typeof document>

function differences(change: (to: Sample) => void) {
  const to = document()
  change(to)
  return compareDocuments(document() as unknown as Contract, to as unknown as Contract, TODAY)
}

const sent = ({ components }: Sample) =>
  components.schemas.CreateTurn as { required: string[]; properties: Record<string, Record<string, unknown>> }
const answered = ({ components }: Sample) =>
  components.schemas.Turn as { required: string[]; properties: Record<string, Record<string, unknown>> }
const create = ({ paths }: Sample) => paths["/v1/turns"]?.post as Record<string, unknown>

const BREAKING: [string, (to: Sample) => void, RegExp][] = [
  ["a removed operation", (to) => delete to.paths["/v1/turns"], /POST \/v1\/turns was removed/],
  ["a removed event", (to) => delete to.webhooks["turn.done"], /event turn\.done was removed/],
  ["a renamed operation", (to) => Object.assign(create(to), { operationId: "sendTurn" }), /operationId sendTurn/],
  ["a removed parameter", (to) => Object.assign(create(to), { parameters: [] }), /query parameter wait was removed/],
  [
    "a new required parameter",
    (to) => (create(to).parameters as unknown[]).push({ name: "x", in: "header", required: true, schema: {} }),
    /header parameter x is new and required/,
  ],
  [
    "a smaller maximum",
    (to) => Object.assign((create(to).parameters as { schema: object }[])[0]?.schema ?? {}, { maximum: 10 }),
    /wait has the maximum 10 instead of 30/,
  ],
  ["a field that is now required", (to) => sent(to).required.push("mode"), /body\.mode is now required/],
  ["a removed field of a request", (to) => delete sent(to).properties.mode, /body\.mode was removed/],
  ["a shorter text", (to) => Object.assign(sent(to).properties.text ?? {}, { maxLength: 50 }), /maxLength 50/],
  [
    "a value that is no longer accepted",
    (to) => Object.assign(sent(to).properties.mode ?? {}, { enum: ["fast"] }),
    /no longer has the values \["slow"\]/,
  ],
  [
    "null that is no longer accepted",
    (to) => Object.assign(sent(to).properties.cost ?? {}, { type: "number" }),
    /can no longer be null/,
  ],
  ["a removed field of a response", (to) => delete answered(to).properties.result, /202\.result was removed/],
  ["a field that can be missing", (to) => answered(to).required.pop(), /202\.state can now be missing/],
  [
    "a field that can be null",
    (to) => Object.assign(answered(to).properties.turn_id ?? {}, { type: ["string", "null"] }),
    /turn_id can also be null/,
  ],
  [
    "another type",
    (to) => Object.assign(answered(to).properties.turn_id ?? {}, { type: "integer" }),
    /turn_id can also be integer/,
  ],
  [
    "alternatives of a response that become another type",
    (to) => Object.assign(answered(to).properties, { state: { type: "object" } }),
    /202\.state has no alternatives any more/,
  ],
  [
    "a removed status",
    (to) => delete (create(to).responses as Record<string, unknown>)["202"],
    /202 is no longer returned/,
  ],
]

describe("A change that breaks is named", () => {
  test.each(BREAKING)("The comparison finds %s", (_name, change, what) => {
    const breaking = differences(change).filter(({ breaks }) => breaks)
    expect(breaking.map(({ at, what }) => `${at} ${what}`)).toContainEqual(expect.stringMatching(what))
  })
})

describe("An addition breaks nothing", () => {
  test.each<[string, (to: Sample) => void, RegExp]>([
    [
      "a new operation",
      (to) => Object.assign(to.paths, { "/v1/new": { get: { operationId: "x", responses: {} } } }),
      /GET \/v1\/new is new/,
    ],
    [
      "a new optional field",
      (to) => Object.assign(sent(to).properties, { more: { type: "string" } }),
      /body\.more is new/,
    ],
    [
      "a new field of a response",
      (to) => Object.assign(answered(to).properties, { more: { type: "string" } }),
      /202\.more is new/,
    ],
    ["a larger maximum", (to) => Object.assign(sent(to).properties.text ?? {}, { maxLength: 200 }), /maxLength 200/],
    [
      "a new value of a request",
      (to) => Object.assign(sent(to).properties.mode ?? {}, { enum: ["fast", "slow", "new"] }),
      /new values \["new"\]/,
    ],
    [
      "a new value of a response",
      (to) =>
        Object.assign(answered(to).properties.state ?? {}, {
          anyOf: [{ type: "string", enum: ["queued", "done", "new"] }, { type: "string" }],
        }),
      /new values \["new"\]/,
    ],
    [
      "a field of a response that has one value from now on",
      (to) => Object.assign(answered(to).properties, { state: { type: "string", const: "done" } }),
      /202\.state has no alternatives any more/,
    ],
    ["a deprecation", (to) => Object.assign(create(to), { deprecated: true }), /is deprecated/],
    [
      "a status that is no longer an error",
      (to) => delete (create(to).responses as Record<string, unknown>)["429"],
      /429 is no longer returned/,
    ],
  ])("The comparison lists %s and does not call it breaking", (_name, change, what) => {
    const found = differences(change)
    expect(found.filter(({ breaks }) => breaks)).toEqual([])
    expect(found.map(({ at, what }) => `${at} ${what}`)).toContainEqual(expect.stringMatching(what))
  })
})

test("Equal documents have no differences, although a schema contains itself", () => {
  expect(differences(() => {})).toEqual([])
})

test("A deprecated operation can be removed after its sunset, and not before", () => {
  const removed = (sunset: string) => {
    const from = document()
    Object.assign(create(from), { deprecated: true, "x-sunset": sunset })
    const to = document()
    delete to.paths["/v1/turns"]
    return compareDocuments(from as unknown as Contract, to as unknown as Contract, TODAY)
  }
  expect(removed("2026-12-31")).toMatchObject([{ breaks: false }])
  expect(removed("2027-01-02")).toMatchObject([{ breaks: true }])
})
