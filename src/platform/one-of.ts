import { type RawBuilder, type SqlBool, sql } from "kysely"

/** Whether a number is one of these, as one parameter: a list of thousands would be as many. */
export const isOneOf = (column: string, numbers: readonly number[]): RawBuilder<SqlBool> =>
  sql`${sql.ref(column)} = any(${numbers}::bigint[])`

/** The same of texts. */
export const isTextOf = (column: string, texts: readonly string[]): RawBuilder<SqlBool> =>
  sql`${sql.ref(column)} = any(${texts}::text[])`
