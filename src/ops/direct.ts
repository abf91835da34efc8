import pg from "pg"
import type { SystemContext } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { systemClock } from "../platform/clock.ts"
import { DatabaseError, databaseOver } from "../platform/db.ts"

const INT8 = 20

/** A context for system verbs over a direct connection. Statements and values are the same as over HTTP. */
export function directContext(client: pg.Client | pg.Pool): SystemContext {
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
  }
  return {
    clock: systemClock,
    requestId: newId("request", systemClock.now()),
    address: null,
    db: databaseOver(async ({ sql, parameters }) => {
      const query = { text: sql, values: [...parameters], types }
      const { rows, rowCount } = await client.query(query as pg.QueryConfig).catch((error: unknown) => {
        throw error instanceof pg.DatabaseError ? new DatabaseError(error as object) : error
      })
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    }),
  }
}
