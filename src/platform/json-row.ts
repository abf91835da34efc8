import type { Selectable } from "kysely"
import type { DB } from "./db-types.ts"

/** What is sent as JSON. */
export type JsonInput = object | string | number | boolean

/** A row of a table as PostgreSQL's to_jsonb gives it: times are texts (ISO 8601, with their offset), int8 is a number. */
export type JsonRow<Table extends keyof DB> = {
  [Column in keyof Selectable<DB[Table]>]: FreeJson<InJson<Selectable<DB[Table]>[Column]>>
}

export type InJson<Value> = Value extends Date ? string : Value

/** What a column of JSON holds is for its reader to say. */
type FreeJson<Value> = [] extends Value ? (Record<never, never> extends Value ? unknown : Value) : Value
