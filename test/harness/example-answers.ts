import { documentOf, type SurfaceName } from "../../scripts/documents.ts"
import { exampleOf } from "../../src/reference/examples.ts"
import type { JsonValue } from "../../src/reference/json-value.ts"

export interface ExampleAnswer {
  status: number
  body: unknown
}

interface Answering {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: JsonValue }> }>
}

/**
 * An answer for each operation of a surface that answers with JSON, by the operation's id, as the reference shows it.
 * Fuzzing compares the service's own answers with the same schemas (test/harness/declared.ts).
 */
export function exampleAnswers(surface: SurfaceName): Record<string, ExampleAnswer> {
  const { paths, components } = documentOf(surface)
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods) as unknown as Answering[])
  return Object.fromEntries(
    operations.flatMap(({ operationId, responses }) => {
      const [status = "", answer] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? []
      const schema = answer?.content?.["application/json"]?.schema
      if (!schema) return []
      const body = exampleOf(schema, { components: (components as { schemas: JsonValue }).schemas })
      return [[operationId, { status: Number(status), body }] as const]
    }),
  )
}
