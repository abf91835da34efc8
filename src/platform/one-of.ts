import { type RawBuilder, type SqlBool, sql } from "kysely"

/** True if a number is in a list, passed as one parameter. A list would otherwise become thousands of parameters. */
export const isOneOf = (column: string, numbers: readonly number[]): RawBuilder<SqlBool> =>
  sql`${sql.ref(column)} = any(${numbers}::bigint[])`

/** Like `isOneOf`, for texts. */
export const isTextOf = (column: string, texts: readonly string[]): RawBuilder<SqlBool> =>
  sql`${sql.ref(column)} = any(${texts}::text[])`
