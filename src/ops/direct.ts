import type pg from "pg"
import type { SystemContext } from "../identity/as-admin.ts"
import { systemClock } from "../platform/clock.ts"
import { databaseOver } from "../platform/db.ts"
import { newId } from "../platform/ids.ts"

/** What verbs of the system need, over a direct connection. */
export function directContext(client: pg.Client): SystemContext {
  return {
    clock: systemClock,
    requestId: newId("request", systemClock.now()),
    address: null,
    db: databaseOver(async ({ sql, parameters }) => {
      const { rows, rowCount } = await client.query(sql, [...parameters])
      return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    }),
  }
}
