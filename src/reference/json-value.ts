/** A JSON Schema, or another part of the OpenAPI document. */
export type JsonValue = Record<string, unknown>
