/** What the reference reads of an OpenAPI document. */
export interface ApiDocument {
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, unknown>; responses: Record<string, unknown> }
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  pattern?: string
}

export interface Content {
  schema?: Schema
  example?: unknown
  examples?: Record<string, unknown>
}

export interface Answer {
  $ref?: string
  description?: string
  headers?: Record<string, { $ref?: string; description?: string }>
  content?: Record<string, Content>
}

export interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
}

export interface DescribedOperation {
  method: string
  path: string
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Answer>
  "x-codeSamples"?: { label: string; source: string }[]
}

/** The operations of a document, in its order. */
export function operationsOf(document: ApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...(described as DescribedOperation), method, path })),
  )
}

/** The name that a reference points to. */
export const nameOf = (ref: string) => ref.split("/").at(-1) ?? ""
