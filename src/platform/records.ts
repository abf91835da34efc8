import { composed } from "../base/casts.ts"
import { RECORDS, type Records } from "./procedures.ts"

/** A record in PostgreSQL's text form: `("key","…",f,"2026-11-20T12:00:00.000Z",,)`. */
export function recordText<Name extends keyof Records>(name: Name, record: Records[Name]): string {
  const values = fieldsOfRecord(name).map((field) => {
    const value = encodeField(field, composed<Record<string, unknown>>(record))
    return value === null ? "" : quoted(value instanceof Date ? value.toISOString() : String(value))
  })
  return `(${values.join(",")})`
}

const known = new Map<keyof Records, EncodedField[]>()

/** Cached, since each request sends a record. */
function fieldsOfRecord(name: keyof Records): EncodedField[] {
  const fields = known.get(name) ?? readFields(RECORDS[name])
  known.set(name, fields)
  return fields
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`

/** An argument or a field of a record. `how`: encoded as it is (undefined), as JSON, or as a record of that type. */
export interface EncodedField {
  name: string
  how: string | undefined
}

export function encodeField({ name, how }: EncodedField, values: Record<string, unknown>): unknown {
  const value = values[name]
  if (value === null || value === undefined) return null
  if (how === undefined) return value
  return how === "json" ? JSON.stringify(value) : recordText(how as keyof Records, value as Records[keyof Records])
}

export const readFields = (fields: readonly string[]): EncodedField[] =>
  fields.map((field) => {
    const [name = "", how] = field.split(":")
    return { name, how }
  })
