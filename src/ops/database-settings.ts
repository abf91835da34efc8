import pg from "pg"
import { SESSION_SETTINGS, SETTING_NAMES, wrongSettings } from "../platform/session-settings.ts"
import { TIME_LIMITS } from "../platform/time-limits.ts"

/**
 * Settings for every statement. They belong to the database, because a procedure is one statement and cannot set them.
 * A wait for a lock occupies a connection, so it ends after lockMs with a 503 that is safe to retry. JIT compilation is
 * off, because a wrong estimate would add up to a second to a statement.
 */
const LIMITS = { lock_timeout: `'${TIME_LIMITS.lockMs}ms'`, jit: "off" }

const WANTED = Object.entries(SESSION_SETTINGS).map(([name, { sql }]) => [name, sql] as const)

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
  const missing = [...Object.entries(LIMITS), ...WANTED].filter(([name, sql]) => !isSet(database.set, name, sql))
  return alterAll(
    client,
    missing.map(([name, sql]) => `alter database ${pg.escapeIdentifier(database.name)} set ${name} = ${sql}`),
  )
}

/**
 * Gives these roles the settings on which answers depend. A role's settings win over those of a database, so a later
 * `alter database` does not change answers. Settings of a role in this database would win over them, and are reset.
 * Returns false if the caller may not change the roles.
 */
export async function setRoleSettings(client: pg.ClientBase, roles: string[]): Promise<boolean> {
  const { rows } = await client.query<{ name: string; database: string; set: string[]; here: string[] }>(
    `select r.rolname as name, current_database() as database,
       array(select unnest(s.setconfig) from pg_db_role_setting s where s.setdatabase = 0 and s.setrole = r.oid) as set,
       array(select lower(split_part(unnest(s.setconfig), '=', 1)) from pg_db_role_setting s
         join pg_database d on d.oid = s.setdatabase where d.datname = current_database() and s.setrole = r.oid) as here
     from pg_roles r where r.rolname = any($1) order by r.rolname`,
    [roles],
  )
  return alterAll(
    client,
    rows.flatMap(({ name: role, database, set, here }) => {
      const alter = `alter role ${pg.escapeIdentifier(role)}`
      return WANTED.flatMap(([name, sql]) => [
        ...(isSet(set, name, sql) ? [] : [`${alter} set ${name} = ${sql}`]),
        ...(here.includes(name.toLowerCase())
          ? [`${alter} in database ${pg.escapeIdentifier(database)} reset ${name}`]
          : []),
      ])
    }),
  )
}

/** PostgreSQL stores `TimeZone=UTC` for `set TimeZone = 'UTC'`. */
const isSet = (set: string[], name: string, sql: string) => set.includes(`${name}=${sql.replace(/^'(.*)'$/, "$1")}`)

async function alterAll(client: pg.ClientBase, statements: string[]): Promise<boolean> {
  if (statements.length === 0) return true
  try {
    await client.query(statements.join("; "))
    return true
  } catch (error) {
    if ((error as pg.DatabaseError).code === "42501") return false
    throw error
  }
}

/**
 * Throws if a new session of one of these roles, or of the caller, would have a setting with which answers are wrong.
 * The most specific value counts: that of a role in this database, of the role, of the database, of the server.
 */
export async function checkSettings(client: pg.ClientBase, roles: string[]): Promise<void> {
  const { rows } = await client.query<{ role: string; database: string; settings: Record<string, string> }>(
    `select r.rolname as role, d.datname as database, (
       select jsonb_object_agg(n.name, coalesce(
         (select substr(c.one, length(n.name) + 2) from pg_db_role_setting s, unnest(s.setconfig) c(one)
           where s.setdatabase in (0, d.oid) and s.setrole in (0, r.oid) and lower(split_part(c.one, '=', 1)) = lower(n.name)
           order by s.setrole = 0, s.setdatabase = 0 limit 1),
         current_setting(n.name))) from unnest($1::text[]) n(name)) as settings
     from pg_database d, pg_roles r where d.datname = current_database() and (r.rolname = current_user or r.rolname = any($2))
     order by r.rolname`,
    [SETTING_NAMES, roles],
  )
  const faults = rows.flatMap(({ role, database, settings }) =>
    wrongSettings(settings).map((fault) => ({ fault, role, database, name: fault.split(" ")[0] ?? "" })),
  )
  if (faults.length === 0) return
  const cures = faults.map(({ role, database, name }) => {
    const [given, at] = [pg.escapeIdentifier(role), pg.escapeIdentifier(database)]
    return `alter role ${given} in database ${at} set ${name} = ${SESSION_SETTINGS[name]?.sql};`
  })
  const said = faults.map(({ fault, role, database }) => `${fault} for the role ${role} in the database ${database}`)
  throw new Error(
    `Answers would be wrong with these settings: ${said.join("; ")}. This role may not change them. As a role that may, run:\n${cures.join("\n")}`,
  )
}
