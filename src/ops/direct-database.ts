import { type CompiledQuery, DefaultQueryExecutor, PostgresAdapter, PostgresQueryCompiler } from "kysely"
import pg from "pg"
import type { Database } from "../platform/db.ts"
import { DatabaseError } from "../platform/neon.ts"

const INT8 = 20

/** Verbs over a direct connection, for the command line: the same statements and values as over HTTP. */
export function directDatabase(client: pg.Client): Database {
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
  }
  const connection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery) {
      const query = { text: sql, values: [...parameters], types }
      const { rows, rowCount } = await client.query(query as pg.QueryConfig).catch((error: unknown) => {
        throw error instanceof pg.DatabaseError ? new DatabaseError(error as object) : error
      })
      return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) }
    },
    // biome-ignore lint/correctness/useYield: nothing streams
    async *streamQuery() {
      throw new Error("nothing streams")
    },
  }
  const executor = new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), {
    provideConnection: (work) => work(connection),
  })
  return { getExecutor: () => executor }
}
