import pg from "pg"
import { TIME_LIMITS } from "../platform/time-limits.ts"

/**
 * What every statement of a worker runs under, as settings of the database: a procedure is one statement, so it cannot set them for
 * itself. Whoever waits for a lock holds a connection that others need; behind the limit the answer is 503, and repeating it does no
 * harm. Compiling a plan takes longer than any statement here may: one wrong estimate would add a second to it.
 */
const SETTINGS = { lock_timeout: `${TIME_LIMITS.lockMs}ms`, jit: "off" }

/** Sets them where they are not. Only the database's owner may: for another role everything stays as it is, and it answers false. */
export async function setDatabaseSettings(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ name: string; set: string[] }>(
    `select d.datname as name, array(select unnest(s.setconfig) from pg_db_role_setting s
       where s.setdatabase = d.oid and s.setrole = 0) as set
     from pg_database d where d.datname = current_database()`,
  )
  const [database] = rows
  if (!database) return true
  for (const [name, value] of Object.entries(SETTINGS)) {
    if (database.set.includes(`${name}=${value}`)) continue
    try {
      await client.query(`alter database ${pg.escapeIdentifier(database.name)} set ${name} = '${value}'`)
    } catch (error) {
      if ((error as pg.DatabaseError).code === "42501") return false
      throw error
    }
  }
  return true
}
