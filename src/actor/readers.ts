import type { QueryCreator } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import { sameQuery } from "../base/casts.ts"
import type { SessionCredential } from "./actor.ts"
import { type CallerDB, type JsonRowsOf, type QueryOf, type ReadRows, readAs } from "./call-as.ts"
import type { Context } from "./context.ts"

/** Reads as an admin who sends a request, for queries that also run without one (`readerOfJob`). */
export const readerOfAdmin =
  (ctx: Context, credential: SessionCredential): ReadRows =>
  async (build) =>
    (await readAs(ctx, credential, build, { role: "admin" })).rows

/** Reads for a job whose operator was checked when it was claimed. `caller` has one row. */
export const readerOfJob =
  ({ db }: Pick<Context, "db">): ReadRows =>
  async <Row>(build: QueryOf<Row>) => {
    const { rows } = await db
      .with("caller", (cte) => cte.selectNoFrom((eb) => eb.lit(true).as("usable")))
      .selectNoFrom(jsonArrayFrom(build(sameQuery<QueryCreator<CallerDB>>(db))).as("rows"))
      .executeTakeFirstOrThrow()
    return rows as JsonRowsOf<Row>
  }
