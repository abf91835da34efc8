import pg from "pg"
import { TIME_LIMITS } from "../platform/time-limits.ts"

/**
 * Settings for every statement. They belong to the database, because a procedure is one statement and cannot set them.
 * A wait for a lock occupies a connection, so it ends after lockMs with a 503 that is safe to retry. JIT compilation is
 * off, because a wrong estimate would add up to a second to a statement.
 */
const SETTINGS = { lock_timeout: `${TIME_LIMITS.lockMs}ms`, jit: "off" }

/**
 * Applies the settings that the database does not have. Returns false, and changes nothing, if the role is not its
 * owner.
 */
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
