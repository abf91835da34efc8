import { expect } from "vitest"
import { errorSchemaOf, type OpenApi } from "./declared.ts"
import type { AnySchema } from "./json-schema.ts"
import { fieldsText, noteShown, pathsIn, type Shown, WITHOUT_SCHEMA } from "./shown-fields.ts"

/** The fields of each resource that a credential may see, in the form of `fieldsText`. */
export type Sight = Readonly<Record<string, string>>

interface Documented {
  path: string
  method: string
  id: string
}

/** Notes the fields of the answers to a credential. */
export function sightsOf(document: OpenApi, surface: "v1" | "dashboard") {
  const { schemas } = document.components
  const errorOf = (dialect: string | undefined, status: number) => {
    if (surface === "dashboard") return status === 422 ? "HTTPValidationError" : "DashboardError"
    return errorSchemaOf(dialect) ?? "Error"
  }
  return () => {
    const shown: Shown = new Map()
    return {
      shown,
      async note({ path, method, id }: Documented, response: Response): Promise<number> {
        const text = await response.text()
        const operation = document.paths[path]?.[method]
        expect(Object.keys(operation?.responses ?? {}), `${id}: ${text}`).toContain(String(response.status))
        const { status } = response
        const type = response.headers.get("content-type")?.split(";")[0] ?? ""
        if (type !== "application/json") return status
        const body = JSON.parse(text) as { error?: unknown }
        const error = schemas[errorOf(operation?.["x-dialect"], status)]
        if (response.ok) {
          noteShown(schemas, shown, operation?.responses[status]?.content?.[type]?.schema as AnySchema, body, id)
        } else noteShown(schemas, shown, error?.properties?.error ?? (error as AnySchema), body.error ?? body, "Error")
        return status
      },
    }
  }
}

/** The fields of JSON that no document describes. */
export function sightOfPlain(answers: Record<string, unknown>): Shown {
  const shown: Shown = new Map()
  for (const [name, body] of Object.entries(answers)) noteShown({}, shown, WITHOUT_SCHEMA, body, name)
  return shown
}

/** Asserts that a credential saw exactly these fields. The message has the lines for the table. */
export function expectSight(shown: Shown, sight: Sight, who: string): void {
  expect(sightOf(shown), `${who} sees other fields than in test/harness/sights.ts`).toEqual(mergeSights(sight))
}

/** The fields as lines of the table. */
export const sightOf = (shown: Shown): Sight =>
  Object.fromEntries([...shown].map(([resource, fields]) => [resource, fieldsText(fields)]))

/** The fields of all sights together. */
export function mergeSights(...sights: readonly Sight[]): Sight {
  const all: Shown = new Map()
  for (const [resource, text] of sights.flatMap((sight) => Object.entries(sight))) {
    all.set(resource, new Set([...(all.get(resource) ?? []), ...pathsIn(text)]))
  }
  return sightOf(all)
}
