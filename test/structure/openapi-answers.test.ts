import { describe, expect, test } from "vitest"
import { documentOf, type SurfaceName } from "../../scripts/documents.ts"
import { EVENT_NAMES } from "../../src/webhooks/event-types.ts"
import { strictChecks } from "../harness/json-schema.ts"

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
type Json = any

const SURFACES: SurfaceName[] = ["v1", "dashboard"]

/** Every schema below a part of the document, with its path, including referenced schemas. */
function* schemasIn(part: Json, document: Json, path = "", seen = new Set<string>()): Generator<[string, Json]> {
  if (typeof part !== "object" || part === null) return
  yield [path, part]
  if (typeof part.$ref === "string") {
    if (seen.has(part.$ref)) return
    seen.add(part.$ref)
    const [, , kind, name] = part.$ref.split("/")
    yield* schemasIn(document.components[kind][name], document, name, seen)
  }
  for (const [name, value] of Object.entries(part)) {
    if (["example", "examples", "mapping"].includes(name)) continue
    yield* schemasIn(value, document, `${path}/${name}`, seen)
  }
}

/** The state of a turn in an event. A turn that waits is running. */
const stateAt = (type: string) => (/^turn\.(waiting|resumed)$/.test(type) ? "running" : type.slice("turn.".length))

describe.each(SURFACES)("The document of %s", (surface) => {
  const document: Json = documentOf(surface)
  const operations: Json[] = Object.values(document.paths).flatMap((methods: Json) => Object.values(methods))
  const answers = [
    ...schemasIn(
      operations.map(({ responses }) => responses),
      document,
    ),
  ]
  const requests = [
    ...schemasIn(
      operations.map(({ requestBody }) => requestBody),
      document,
    ),
  ]
  const everything = [...schemasIn({ paths: document.paths, webhooks: document.webhooks }, document)]
  const checkOf = strictChecks(document.components.schemas)
  const check = (schema: Json, value: unknown) => checkOf(schema)(value)

  test("An answer may get more fields and more words", () => {
    expect(answers.length).toBeGreaterThan(200)
    const open = new Set(
      answers.flatMap(([, { anyOf }]) =>
        anyOf?.some((part: Json) => part.type === "string" && !part.enum) ? anyOf : [],
      ),
    )
    const closed = answers.filter(
      ([, schema]) =>
        schema.additionalProperties === false ||
        (Array.isArray(schema.enum) &&
          schema.enum.length > 1 &&
          typeof schema.enum[0] === "string" &&
          !open.has(schema)),
    )
    expect(closed.map(([path]) => path)).toEqual([])
  })

  test("A request is strict: its objects are closed, and so are its lists of words", () => {
    const bodies = operations.flatMap(({ requestBody }) => requestBody?.content["application/json"]?.schema ?? [])
    const loose = bodies.filter(({ $ref }) => {
      const schema = document.components.schemas[$ref?.split("/").at(-1)]
      return schema?.type === "object" && schema.additionalProperties !== false && schema.properties
    })
    expect(loose.map(({ $ref }) => $ref)).toEqual(surface === "v1" ? [] : ["#/components/schemas/BotUpdate"])
    const open = requests.filter(([, { anyOf }]) => anyOf?.[0]?.enum && anyOf[1]?.type === "string")
    expect(open.map(([path]) => path)).toEqual([])
  })

  test("A cursor has one type, and no time is described by a pattern", () => {
    const cursors = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }: Json) => name === "cursor"),
    )
    expect(cursors.length).toBeGreaterThan(3)
    expect([...new Set(cursors.map(({ schema }: Json) => JSON.stringify(schema)))]).toEqual([
      '{"type":"string","minLength":1,"maxLength":1024}',
    ])
    const times = everything.filter(([, { format }]) => /^(date|time|date-time)$/.test(format))
    expect(times.length).toBeGreaterThan(20)
    expect(times.filter(([, { pattern }]) => pattern !== undefined).map(([path]) => path)).toEqual([])
    expect(JSON.stringify(document)).not.toContain("[2468][048]")
  })

  test("A union of objects names the field that distinguishes them, and the object for each of its values", () => {
    const unions = answers.filter(([, { anyOf }]) => anyOf?.filter(({ $ref }: Json) => $ref).length > 1)
    expect(unions.length).toBeGreaterThan(2)
    const untold = unions.filter(([, { discriminator }]) => !discriminator)
    // A list of days and a report have different types. The answer of a failing check has no code.
    const known = ["GetServiceHealthOrError", "GetDailyUsageAnswer"]
    expect(untold.map(([path]) => path)).toEqual(surface === "v1" ? [] : known)
    for (const [path, { anyOf, discriminator }] of unions) {
      if (!discriminator) continue
      const refs = anyOf.map(({ $ref }: Json) => $ref)
      expect(new Set(Object.values(discriminator.mapping)), path).toEqual(new Set(refs))
    }
  })

  test("Every answer in JSON is a named schema, so that generated clients have a type for each list", () => {
    const inline = operations.flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap((answer: Json) => {
        const json = answer.content?.["application/json"]
        return json && !json.schema.$ref ? [operationId] : []
      }),
    )
    expect(inline).toEqual([])
  })

  test("Every operation lists 405, with the methods that exist", () => {
    for (const { operationId, responses } of operations) {
      const { $ref } = responses["405"] ?? {}
      expect($ref, operationId).toBeDefined()
      expect(document.components.responses[$ref.split("/").at(-1)].headers).toHaveProperty("Allow")
    }
  })

  test("The details of an error have a type by its code, and every example of an error has it", () => {
    const codes = new Set<string>()
    for (const response of Object.values(document.components.responses) as Json[]) {
      const { schema, examples } = response.content["application/json"]
      for (const [code, { value }] of Object.entries(examples) as [string, Json][]) {
        expect(check(schema, value), code).toEqual([])
        if ((value.error ?? value).details !== undefined) codes.add(code)
      }
    }
    for (const code of ["QUOTA_EXCEEDED", "INSUFFICIENT_CREDITS"]) expect(codes).toContain(code)
    const others = Object.entries(document.components.schemas).filter(
      ([, schema]: [string, Json]) => JSON.stringify(schema.properties?.details ?? null) === "{}",
    )
    expect(others.map(([name]) => name)).toEqual([])
  })

  test("Each type of event is under webhooks, with an example whose turn has the event's state", () => {
    expect(Object.keys(document.webhooks).sort()).toEqual(EVENT_NAMES.toSorted())
    for (const [type, { post }] of Object.entries(document.webhooks) as [string, Json][]) {
      const { schema, example } = post.requestBody.content["application/json"]
      expect(document.components.schemas.Event.discriminator.mapping[type], type).toBe(schema.$ref)
      expect(check(schema, example), type).toEqual([])
      expect(check({ $ref: "#/components/schemas/Event" }, example), type).toEqual([])
      expect(example.type).toBe(type)
      if (type.startsWith("turn.")) expect(example.data.turn.state, type).toBe(stateAt(type))
    }
  })

  test("Every example of a turn, an event and a delivery is possible", () => {
    const examples = [...examplesIn(document)]
    const turns = examples.filter(
      (one) => typeof one.turn_id === "string" && "billed_cost_usd" in one && "error" in one,
    )
    expect(turns.length).toBeGreaterThan(5)
    for (const turn of turns) {
      const { state, started_at, finished_at, result, error, status_reason, billed_cost_usd, held_usd } = turn
      const isOpen = state === "queued" || state === "running"
      if (state !== "running") expect(turn.waiting, state).toBeNull()
      expect([state, finished_at === null, result !== null, error !== null]).toEqual([
        state,
        isOpen,
        state === "done",
        state === "failed",
      ])
      expect(started_at === null, state).toBe(state === "queued")
      expect(status_reason === null, state).toBe(state !== "failed" && state !== "cancelled")
      expect([held_usd > 0, billed_cost_usd === 0], state).toEqual([isOpen, isOpen])
    }
    for (const { type, data, seq } of examples.filter(
      (one) => typeof one.type === "string" && one.data && "seq" in one,
    )) {
      if (data.turn) expect(data.turn.state).toBe(stateAt(type))
      else if (data.state) expect(data.state).toBe(stateAt(type))
      else expect(seq, type).toBe(type === "call.decided" ? 6 : null)
    }
    for (const { state, finished_at, attempts } of examples.filter((one) => one.delivery_id && one.attempts)) {
      expect([state, finished_at === null]).toEqual([state, state === "pending"])
      if (attempts.at(-1)?.status === 200) expect(state).toBe("delivered")
    }
  })
})

/** Every object within an example. */
function* examplesIn(part: Json, isExample = false): Generator<Json> {
  if (typeof part !== "object" || part === null) return
  if (isExample && !Array.isArray(part)) yield part
  for (const [name, value] of Object.entries(part)) yield* examplesIn(value, isExample || name === "example")
}
