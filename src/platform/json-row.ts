import type { Selectable } from "kysely"
import type { DB } from "./db-types.ts"

/** A value that is sent as JSON. */
export type JsonInput = object | string | number | boolean

/** A row of a table as PostgreSQL's to_jsonb returns it. Times are ISO 8601 texts with an offset; int8 is a number. */
export type JsonRow<Table extends keyof DB> = {
  [Column in keyof Selectable<DB[Table]>]: FreeJson<InJson<Selectable<DB[Table]>[Column]>>
}

export type InJson<Value> = Value extends Date ? string : Value

/** The content of a JSON column is `unknown`, and its reader must check it. */
type FreeJson<Value> = [] extends Value ? (Record<never, never> extends Value ? unknown : Value) : Value
