import pg from "pg"
import { TIME_LIMITS } from "../platform/time-limits.ts"

/**
 * Bounds how long a statement of a worker waits for a lock, as a setting of the database: a procedure is one statement, so it cannot
 * set this for itself. Whoever waits holds a connection that others need; behind this the answer is 503, and repeating it does no harm.
 * Only the database's owner may set it: for another role everything stays as it is.
 */
export async function boundLocks(client: pg.ClientBase, ms: number = TIME_LIMITS.lockMs): Promise<boolean> {
  const { rows } = await client.query<{ name: string; set: boolean }>(
    `select d.datname as name, exists (select from pg_db_role_setting s
       where s.setdatabase = d.oid and s.setrole = 0 and $1 = any (s.setconfig)) as set
     from pg_database d where d.datname = current_database()`,
    [`lock_timeout=${ms}ms`],
  )
  const [database] = rows
  if (!database || database.set) return true
  const statement = `alter database ${pg.escapeIdentifier(database.name)} set lock_timeout = '${ms}ms'`
  return client.query(statement).then(
    () => true,
    (error: pg.DatabaseError) => {
      if (error.code === "42501") return false
      throw error
    },
  )
}
