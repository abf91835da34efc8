import { expect, test } from "vitest"
import type * as z from "zod"
import { Turnpike } from "../../client/src/index.ts"
import { CLIENT_PACKAGE } from "../../client/src/names.ts"
import { documentOf, SURFACES, type SurfaceName } from "../../scripts/documents.ts"
import { dialectStatus } from "../../src/base/dialects.ts"
import { ERROR_CODES } from "../../src/base/errors.ts"

interface Content {
  content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>
  headers?: Record<string, unknown>
  description?: string
}

interface Described {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: { name: string; in: string; required: boolean; example?: unknown }[]
  requestBody?: Content
  responses: Record<string, Content & { $ref?: string }>
  "x-codeSamples": { label: string; source: string }[]
}

const missing: string[] = []
const documents = (Object.keys(SURFACES) as SurfaceName[]).map((surface) => {
  const document = documentOf(surface, (path) => missing.push(`${surface} ${path}`))
  return { surface, document, app: SURFACES[surface].app }
})
const operations = documents.flatMap(({ surface, document, app }) =>
  app.operations.map((operation) => {
    const described = (document.paths[operation.path] as Record<string, Described>)[operation.method] as Described
    return { id: operation.id, surface, document, operation, described }
  }),
)
const json = (content: Content | undefined) => content?.content?.["application/json"]

test("Operations of the contract have its tags, and no other operations have them", () => {
  for (const { operation, described } of operations) {
    const { path } = operation
    const expected = path.startsWith("/api/auth/")
      ? "auth"
      : path === "/api/admin/tasks"
        ? "admin-tasks"
        : path.startsWith("/api/admin/")
          ? "admin"
          : expect.not.stringMatching(/^(auth|admin|admin-tasks)$/)
    expect(described.tags, path).toEqual([expected])
  }
})

test("Every field of every example has a meaningful value", () => {
  expect(missing, "give the field an `example`, or its name one in src/http/examples.ts").toEqual([])
})

test.each(operations)(
  "The operation $surface: $id has examples that its own schemas accept",
  ({ operation, described }) => {
    const check = (type: z.ZodType | undefined, value: unknown) => type && expect(() => type.parse(value)).not.toThrow()
    check(operation.body, json(described.requestBody)?.example)
    if (!operation.answer.binary)
      check(operation.answer.schema, json(described.responses[operation.answer.status])?.example)
    for (const [location, type] of [["path", operation.params] as const, ["query", operation.query] as const]) {
      const given = described.parameters?.filter(
        (parameter) => parameter.in === location && parameter.example !== undefined,
      )
      check(type, Object.fromEntries((given ?? []).map(({ name, example }) => [name, example])))
    }
    for (const parameter of described.parameters ?? []) {
      if (parameter.required) expect(parameter.example, parameter.name).toBeDefined()
    }
  },
)

test.each(operations)(
  "The operation $surface: $id describes itself, and each error with cause, cure and an example",
  ({ surface, described, document, operation }) => {
    expect(described.summary).toMatch(/^[A-Z][^.]+$/)
    expect(described.description.length).toBeGreaterThan(0)
    const { responses } = document.components as { responses: Record<string, Content> }
    for (const [status, answer] of Object.entries(described.responses)) {
      const shared = answer.$ref ? responses[answer.$ref.split("/").at(-1) ?? ""] : answer
      expect(shared?.headers, status).toHaveProperty("X-Request-Id")
      if (!(Number(status) >= 400)) continue
      for (const [code, { value }] of Object.entries(json(shared)?.examples ?? {})) {
        const { cause, cure, status: own, retryable } = ERROR_CODES[code as keyof typeof ERROR_CODES]
        expect(String(operation.dialect ? dialectStatus(own) : own)).toBe(status)
        expect(shared?.description).toContain(`\`${code}\`: ${cause} ${cure}`)
        expect(JSON.stringify(value)).not.toBe("{}")
        if (surface === "v1") expect(value).toMatchObject({ error: { code, retryable } })
      }
      if (status === "429" || status === "503") expect(shared?.headers).toHaveProperty("Retry-After")
    }
  },
)

test("Every group of operations has a description", () => {
  const tags = documents.flatMap(({ document }) => document.tags)
  for (const tag of tags) expect(tag, "src/http/tags.ts").toHaveProperty("description")
})

const ofKeys = operations.filter(
  ({ surface, operation }) => surface === "v1" && !operation.open && operation.dialect === undefined,
)

test.each(ofKeys)("The client has $id, and its sample sends the example", async ({ operation, described }) => {
  const sample = described["x-codeSamples"].find(({ label }) => label === CLIENT_PACKAGE)
  expect(sample, "src/reference/client-methods.ts").toBeDefined()
  const seen: { method: string; url: URL; body: unknown }[] = []
  const turnpike = new Turnpike({
    apiKey: "turnpike_test_x",
    baseUrl: "https://api.turnpike.test",
    async fetch(url, init) {
      seen.push({ method: init.method ?? "", url: new URL(url), body: init.body })
      return Response.json({ data: [], has_more: false, next_cursor: null })
    },
  })
  const run = new Function("turnpike", "console", `return (async () => { ${sample?.source} })()`)
  await run(turnpike, { log() {} })
  expect(seen).toHaveLength(1)
  const [request] = seen
  const filled = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(String(described.parameters?.find((parameter) => parameter.name === name)?.example)),
  )
  expect([request?.method, request?.url.pathname]).toEqual([operation.method.toUpperCase(), filled])
  const body = json(described.requestBody)
  if (body) expect(JSON.parse(String(request?.body))).toEqual(body.example)
  for (const { name, in: location, example } of described.parameters ?? []) {
    if (location === "query" && example !== undefined) expect(request?.url.searchParams.get(name)).toBe(String(example))
  }
})

test("A document names the hosts of a deployment, and the host of its reader first if there are several", () => {
  const serversOf = (origins: string[]) => documentOf("v1", undefined, origins).servers.map(({ url }) => url)
  expect(serversOf([])).toEqual(["/"])
  expect(serversOf(["https://a.example.com"])).toEqual(["https://a.example.com"])
  expect(serversOf(["https://a.example.com", "https://b.example.com"])).toEqual([
    "/",
    "https://a.example.com",
    "https://b.example.com",
  ])
})
