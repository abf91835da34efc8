import fc from "fast-check"
import type { DeclaredOperation, OpenApi } from "./declared.ts"
import { ESTATE_HOST, type Estate } from "./estate.ts"
import { type AnySchema, arbitraryOf, type Hints } from "./json-schema.ts"
import { brokenBody, nearly, oddHeaders, oddText } from "./mutations.ts"
import { idsIn } from "./operations.ts"

/** A request of the fuzz test: for an operation, or with a method that its path may not support. */
export interface FuzzRequest {
  template: string
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
  /** True if the document allows this request. */
  isValid: boolean
}

interface World {
  document: OpenApi
  own: Estate
  others: Estate
}

const OTHER_METHODS = ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "POST", "GET", "PROPFIND"]
/** The weights of valid requests, almost valid ones, and ones with odd headers or an odd method. */
const WEIGHTS = { valid: 5, nearly: 5, odd: 4 }

/** Usually one of `usual`, sometimes one of `other`. */
export const mostly = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>, weight = 4) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other })

/** Meaningful values by the name of a field or query parameter. */
function hintsOf({ own, others }: World): Hints {
  const { space, conversation, files, key, cursor, end_user_ref } = own.references
  const reference = (name: string) => fc.constantFrom(own.references[name], others.references[name])
  const pin = fc.constant("rehearsal/standard")
  const url = fc.constantFrom(`https://${ESTATE_HOST}/x`, `https://${ESTATE_HOST}/{{input.id}}?t={{secrets.TOKEN}}`)
  const serverUrl = fc.constantFrom(`https://${ESTATE_HOST}/mcp`, `https://${ESTATE_HOST}/{{secrets.TOKEN}}`)
  const texts = ["hi", "[steps 2]\n[use input=10 output=5]", "[fail OUT_OF_STOCK]", "[write a.txt hello]", "[long 50]"]
  return {
    url,
    model: pin,
    space: mostly(fc.constant(space), reference("space"), 9),
    conversation: mostly(fc.constantFrom(conversation, "orders"), reference("conversation")),
    files: mostly(fc.constantFrom(files, []), reference("files")),
    key: fc.constant(key),
    turn: reference("turn"),
    // A disabled webhook rejects a replay.
    enabled: mostly(fc.constant(true), fc.boolean(), 9),
    from: fc.constant("2026-01-01T00:00:00Z"),
    to: fc.constant("2027-01-01T00:00:00Z"),
    "listTurns.cursor": fc.constant(cursor),
    "PutTool.name": fc.constant(own.ids["tools/{name}"]),
    "PutMcpServer.name": fc.constant(own.ids["mcp-servers/{name}"]),
    // An account cannot have two webhooks with the same URL.
    "CreateWebhook.url": mostly(
      fc.integer({ min: 1, max: 1e6 }).map((n) => `https://${ESTATE_HOST}/hooks/${n}`),
      url,
    ),
    "McpServer.url": serverUrl,
    "PutMcpServer.url": serverUrl,
    method: fc.constantFrom("POST", "PUT", "PATCH"),
    end_user_ref: mostly(fc.constant(end_user_ref), fc.constantFrom("customer-1", others.canary)),
    input_schema: fc.constantFrom({ type: "object" }, { type: "object", properties: { id: { type: "string" } } }),
    text: mostly(fc.constantFrom(...texts), fc.string({ minLength: 1, unit: "grapheme" })),
    time_zone: fc.constantFrom("Europe/Berlin", "UTC"),
    // The estate has no model for pictures.
    image_model: fc.constant(undefined),
    max_cost_usd: fc.integer({ min: 1, max: 10_000_000 }).map((micros) => micros / 10_000_000),
    "CreateResponse.model": fc.constant(space),
    "CreateChatCompletion.model": fc.constant(space),
    ...anthropicHints({ space, end_user_ref }),
    safety_identifier: fc.constant(end_user_ref),
    input: fc.constantFrom(...texts),
    messages: fc.constantFrom(...texts.map((content) => [{ role: "user", content }])),
    // A turn has a text, messages or results, and results need open calls.
    "CreateTurn.messages": fc.constant(undefined),
    "CreateTurn.results": fc.constant(undefined),
    "CreateTurn.max_output_tokens": fc.integer({ min: 1, max: 8192 }),
    "CreateTurn.tools": fc.constantFrom([], [{ name: "look_up", description: "", input_schema: { type: "object" } }]),
    // Both need tools.
    "CreateTurn.tool_choice": fc.constant(undefined),
    "CreateTurn.parallel_tool_calls": fc.constant(undefined),
    // A longer wait would only poll for longer.
    wait: fc.constantFrom(0, 1, 2),
  }
}

/** Fields of Anthropic's requests that a turn takes. The others need each other, or are refused. */
function anthropicHints({ space, end_user_ref }: Record<"space" | "end_user_ref", unknown>): Hints {
  const fields = {
    model: fc.constant(space),
    system: fc.constant("Be brief."),
    max_tokens: fc.integer({ min: 1, max: 8192 }),
    stop_sequences: fc.constant(["END"]),
    metadata: fc.constant({ user_id: end_user_ref }),
  }
  const left = "tools tool_choice thinking output_config output_format container mcp_servers thread".split(" ")
  const all = { ...fields, ...Object.fromEntries(left.map((name) => [name, fc.constant(undefined)])) }
  return Object.fromEntries(
    ["CreateMessage", "CountMessageTokens"].flatMap((schema) =>
      Object.entries(all).map(([name, value]) => [`${schema}.${name}`, value]),
    ),
  )
}

/** Requests for one operation. */
export function requestsFor(template: string, verb: string, world: World): fc.Arbitrary<FuzzRequest> {
  const operation = world.document.paths[template]?.[verb] as DeclaredOperation
  const hints = hintsOf(world)
  const of = (schema: AnySchema) => arbitraryOf(schema, world.document.components.schemas, hints)
  const method = verb.toUpperCase()
  const key = `Bearer ${world.own.client.key}`
  const body = bodyOf(operation, of)
  const query = queryOf(operation, of, hints)
  const plain = fc.record({ path: pathOf(template, world), query: query.valid, ...body.valid })
  const valid = plain.map((parts) => request(template, method, key, parts, true))
  const wrong = fc
    .record({
      path: pathOf(template, world),
      query: mostly(query.valid, query.wrong, 1),
      sent: fc.oneof(fc.record(body.valid), body.wrong),
    })
    .map(({ path, query: pairs, sent }) => request(template, method, key, { path, query: pairs, ...sent }, false))
  const careless = fc
    .record({
      parts: plain,
      extra: oddHeaders([world.own.client.key, world.others.client.key]),
      other: mostly(fc.constant(method), fc.constantFrom(...OTHER_METHODS), 2),
    })
    .map(({ parts, extra, other }) => {
      const sent = request(template, other, key, parts, false)
      return { ...sent, headers: { ...sent.headers, ...extra } }
    })
  return fc.oneof(
    { weight: WEIGHTS.valid, arbitrary: valid },
    { weight: WEIGHTS.nearly, arbitrary: wrong },
    { weight: WEIGHTS.odd, arbitrary: careless },
  )
}

interface Parts {
  path: string
  query: string
  body: FuzzRequest["body"]
  type: string | null
  key: string | undefined
}

function request(
  template: string,
  method: string,
  authorization: string,
  { path, query, body, type, key }: Parts,
  isValid: boolean,
): FuzzRequest {
  const headers = { authorization, ...(type && { "content-type": type }), ...(key && { "idempotency-key": key }) }
  return { template, method, path: path + query, headers, body, isValid }
}

/**
 * The path with ids that mostly exist. A segment is never empty, `.` or `..`, because that would be
 * a different path.
 */
function pathOf(template: string, { own, others }: World): fc.Arbitrary<string> {
  const segments = idsIn(template).map((name) => {
    const mine = own.ids[name]
    if (mine === undefined) throw new Error(`make something for ${name} in test/harness/estate.ts`)
    const strange = fc.oneof(oddText, fc.string({ minLength: 1, unit: "grapheme" })).map(encodeURIComponent)
    const broken = fc.constantFrom(
      "%",
      "%zz",
      "%ff%fe",
      "%ed%a0%80",
      "%2f",
      "a%2Fb",
      "%2e%2e",
      "a;b",
      "a,b",
      ":x",
      "{x}",
    )
    const encoded = mostly(fc.constant(mine), fc.constant(others.ids[name] ?? mine), 9).map(encodeURIComponent)
    return mostly(encoded, fc.oneof(strange, broken), 12)
      .filter((segment) => !/^(\.|%2e){0,2}$/i.test(segment))
      .map((segment) => [name, `${name.split("/")[0]}/${segment}`] as const)
  })
  return fc
    .tuple(...segments)
    .map((filled) => filled.reduce((path, [name, segment]) => path.replace(name, () => segment), template))
}

/** Valid and invalid queries of an operation. */
export function queryOf(
  { operationId, parameters = [] }: DeclaredOperation,
  of: (schema: AnySchema) => fc.Arbitrary<unknown>,
  hints: Hints,
) {
  const known = parameters.filter((parameter) => parameter.in === "query")
  const values = known.map(
    ({ name, schema }) => [name, hints[`${operationId}.${name}`] ?? hints[name] ?? of(schema)] as const,
  )
  const required = known.filter(({ required }) => required).map(({ name }) => name)
  const encode = (pairs: [string, unknown][]) => {
    const text = pairs
      .flatMap(([name, value]) => (Array.isArray(value) ? value.map((item) => [name, item]) : [[name, value]]))
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
      .join("&")
    return text === "" ? "" : `?${text}`
  }
  const whole = fc
    .record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: required as never[] })
    .map((query) => encode(Object.entries(query)))
  // A cursor is only valid with the filters that made it, so most queries have none.
  const valid = required.length > 0 ? whole : mostly(fc.constant(""), whole, 1)
  const name = fc.constantFrom(...known.map(({ name }) => name), "extra", "limit", "__proto__", "")
  const text = fc.oneof(oddText, fc.constantFrom("", " 5", "5 ", "1e2", "0x10", "-1", "1.5", "101", "Infinity", "NaN"))
  const pairs = fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 3 }).map(encode)
  const broken = fc.constantFrom(
    "?",
    "?&&=",
    "?limit",
    "?limit=%",
    "?limit=%ff",
    "?limit=1&limit=2",
    "?cursor[]=1",
    "?%00=1",
  )
  return { valid, wrong: fc.oneof(pairs, pairs, broken) }
}

/**
 * Valid and invalid bodies of an operation. A long text in a query would be rejected before it
 * reaches the service.
 */
export function bodyOf(
  { requestBody, parameters = [] }: DeclaredOperation,
  of: (schema: AnySchema) => fc.Arbitrary<unknown>,
) {
  const keyed = parameters.find(({ name }) => name === "Idempotency-Key")
  const keys = fc.oneof(fc.uuid(), fc.uuid(), fc.constantFrom("again-1", "again-2"))
  const key = keyed ? (keyed.required ? keys : fc.option(keys, { nil: undefined })) : fc.constant(undefined)
  const json = requestBody?.content["application/json"]
  if (json) {
    const value = of(json.schema)
    const type = fc.constant("application/json")
    const text = value.map((it) => JSON.stringify(it))
    const wrong = fc.oneof(
      { weight: 3, arbitrary: nearly(value).map((it) => JSON.stringify(it) ?? "") },
      { weight: 1, arbitrary: brokenBody(text) },
    )
    return { valid: { body: text, type, key }, wrong: fc.record({ body: wrong, type, key }) }
  }
  if (requestBody) return uploadOf(key)
  const none = { body: fc.constant(null), type: fc.constant(null), key }
  return {
    valid: none,
    wrong: fc.record({
      ...none,
      body: fc.constantFrom(null, "{}", "x"),
      type: fc.constantFrom("application/json", null),
    }),
  }
}

function uploadOf(key: fc.Arbitrary<string | undefined>) {
  const type = "multipart/form-data; boundary=edge"
  const part = (name: string, content: string) =>
    `--edge\r\nContent-Disposition: form-data; ${name}\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`
  const names = fc.constantFrom('name="file"; filename="a.txt"', 'name="file"; filename="ü 💥.pdf"')
  const form = fc.tuple(names, fc.string({ unit: "grapheme" })).map(([name, text]) => `${part(name, text)}--edge--\r\n`)
  const wrongNames = fc.constantFrom(
    'name="other"',
    'name="file"',
    'filename="x"',
    "",
    'name="file"; filename=""',
    "name",
  )
  const parts = fc.array(fc.tuple(fc.oneof(names, wrongNames), fc.string()), { maxLength: 3 })
  const wrong = fc.oneof(
    parts.map((all) => `${all.map(([name, text]) => part(name, text)).join("")}--edge--\r\n`),
    brokenBody(form),
  )
  return {
    valid: { body: form as fc.Arbitrary<FuzzRequest["body"]>, type: fc.constant<string | null>(type), key },
    wrong: fc.record({
      body: wrong as fc.Arbitrary<FuzzRequest["body"]>,
      type: fc.constantFrom<string | null>(type, "text/plain", "multipart/form-data", null),
      key,
    }),
  }
}
