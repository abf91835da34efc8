import { type BodySide, compareSchemas, type Difference, type Schema } from "./compare-schemas.ts"

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}
type Content = Record<string, { schema?: Schema }>
interface Described {
  operationId: string
  deprecated?: boolean
  "x-sunset"?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
}

/** The parts of an OpenAPI document that are compared. */
export interface Contract {
  paths: Record<string, Record<string, unknown>>
  webhooks?: Record<string, Record<string, unknown>>
  components: { schemas?: Record<string, Schema>; responses?: Record<string, unknown> }
}

/**
 * The differences between a released document and a new one, each named by its operation. `today` decides whether a
 * deprecated operation can be gone.
 */
export function compareDocuments(released: Contract, current: Contract, today: string): Difference[] {
  const found: Difference[] = []
  const [before, after] = [operationsOf(released), operationsOf(current)]
  const pair = { before: released.components.schemas ?? {}, after: current.components.schemas ?? {} }
  for (const [name, old] of before) {
    const now = after.get(name)
    if (!now) {
      const isOver = old["x-sunset"] !== undefined && old["x-sunset"] <= today
      found.push({ at: name, breaks: !isOver, what: isOver ? "was removed after its sunset" : "was removed" })
      continue
    }
    const note = (where: string, breaks: boolean, what: string) =>
      found.push({ at: where ? `${name}: ${where}` : name, breaks, what })
    if (old.operationId !== now.operationId)
      note(
        "",
        true,
        `has the operationId ${now.operationId} instead of ${old.operationId}, so generated methods have new names`,
      )
    if (!old.deprecated && now.deprecated) note("", false, "is deprecated")
    compareParameters(old, now, note, (from, to, where) =>
      found.push(...compareSchemas(from, to, { side: "request", at: `${name}: ${where}`, ...pair })),
    )
    const bodies = (from: Content | undefined, to: Content | undefined, side: BodySide, where: string) => {
      for (const [type, { schema }] of Object.entries(from ?? {})) {
        const other = to?.[type]
        if (!other) note(where, true, `no longer has the media type ${type}`)
        else if (schema && other.schema)
          found.push(...compareSchemas(schema, other.schema, { side, at: `${name}: ${where}`, ...pair }))
      }
    }
    if (!old.requestBody && now.requestBody?.required) note("body", true, "is now required")
    bodies(old.requestBody?.content, now.requestBody?.content, "request", "body")
    for (const [status, answer] of Object.entries(old.responses)) {
      const other = now.responses[status]
      // Errors share one schema; which statuses an operation can return is not part of the contract.
      if (!other) note(status, status.startsWith("2"), "is no longer returned")
      else bodies(resolved(answer, released).content, resolved(other, current).content, "response", status)
    }
  }
  for (const name of after.keys()) if (!before.has(name)) found.push({ at: name, breaks: false, what: "is new" })
  return found
}

function operationsOf({ paths, webhooks = {} }: Contract): Map<string, Described> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one as Described] as const),
  )
  // The service sends the body of an event, so it is compared like a response.
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const { requestBody, ...event } = post as Described
    return [`event ${type}`, { ...event, responses: { "200": { content: requestBody?.content ?? {} } } }] as const
  })
  return new Map([...all, ...events])
}

const resolved = (answer: { $ref?: string; content?: Content }, { components }: Contract) =>
  answer.$ref ? ((components.responses?.[answer.$ref.split("/").at(-1) ?? ""] ?? {}) as { content?: Content }) : answer

function compareParameters(
  old: Described,
  now: Described,
  note: (where: string, breaks: boolean, what: string) => void,
  schemas: (from: Schema, to: Schema, where: string) => void,
): void {
  const key = (one: Parameter) => `${one.in} parameter ${one.name}`
  const before = new Map((old.parameters ?? []).map((one) => [key(one), one]))
  const after = new Map((now.parameters ?? []).map((one) => [key(one), one]))
  for (const [name, one] of before) {
    const other = after.get(name)
    if (!other) note(name, true, "was removed")
    else {
      if (!one.required && other.required) note(name, true, "is now required")
      schemas(one.schema, other.schema, name)
    }
  }
  for (const [name, { required }] of after)
    if (!before.has(name)) note(name, required === true, required ? "is new and required" : "is new")
}
