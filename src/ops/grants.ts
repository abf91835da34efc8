import { randomBytes } from "node:crypto"
import pg from "pg"
import { checkLetters } from "./check-letters.ts"
import { checkSettings, setRoleSettings } from "./database-settings.ts"
import type { Release } from "./release.ts"
import { WORKER_ACCESS, type WorkerAccess } from "./worker-access.ts"

/** The prefix of the role names. Several installations on one server need different prefixes. */
export const ROLE_PREFIX = "turnpike"

/** The workers with their own role. `all` is the worker that serves every group. */
export const WORKER_ROLES = [...Object.keys(WORKER_ACCESS), "all"]

/** The database objects and key purposes that a worker's code uses; for `all` everything that any worker uses. */
export function accessOf(worker: string): WorkerAccess {
  const known = WORKER_ACCESS[worker]
  if (known) return known
  if (worker !== "all") throw new Error(`There is no worker ${worker}. Name one of ${WORKER_ROLES.join(", ")}.`)
  const each = Object.values(WORKER_ACCESS)
  const union = (names: (access: WorkerAccess) => readonly string[]) => [...new Set(each.flatMap(names))].sort()
  const withheld = (table: string) =>
    each
      .flatMap(({ tables }) => (tables[table] ? [tables[table]] : []))
      .reduce((some, others) => some.filter((column) => others.includes(column)))
  return {
    procedures: union(({ procedures }) => procedures),
    inlined: union(({ inlined }) => inlined),
    tables: Object.fromEntries(union(({ tables }) => Object.keys(tables)).map((table) => [table, withheld(table)])),
    purposes: union(({ purposes }) => purposes),
  }
}

export const roleName = (worker: string, prefix = ROLE_PREFIX) => `${prefix}_${worker}`

/** `url` with another role and its password. */
export function urlFor(url: string, role: string, password: string): string {
  const changed = new URL(url)
  changed.username = role
  changed.password = password
  return changed.href
}

/**
 * Creates the missing roles of these workers, each with a password. `renew` also changes the passwords of existing
 * roles. The roles can only log in until `grantRelease` grants them rights. Returns the new passwords by worker.
 */
export async function createRoles(
  client: pg.ClientBase,
  { workers = WORKER_ROLES, prefix = ROLE_PREFIX, renew = false, password = newPassword } = {},
): Promise<Record<string, string>> {
  for (const worker of workers) accessOf(worker)
  const secrets = await inTransaction(client, async () => {
    // With the lock, the later of two concurrent calls finds the role that the first one created.
    await client.query("select pg_advisory_xact_lock(hashtext('turnpike roles'))")
    const secrets: Record<string, string> = {}
    for (const worker of workers) {
      const role = roleName(worker, prefix)
      const known = (await client.query("select 1 from pg_roles where rolname = $1", [role])).rowCount === 1
      if (known && !renew) continue
      const secret = password(worker)
      const change = `${known ? "alter" : "create"} role ${pg.escapeIdentifier(role)}`
      await client.query(`${change} login nocreatedb nocreaterole password ${pg.escapeLiteral(secret)}`)
      secrets[worker] = secret
    }
    return secrets
  })
  await setRoleSettings(
    client,
    workers.map((worker) => roleName(worker, prefix)),
  )
  return secrets
}

async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query("begin")
  try {
    const done = await work()
    await client.query("commit")
    return done
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}

const newPassword = (_worker: string) => randomBytes(24).toString("base64url")

export async function dropRoles(client: pg.ClientBase, prefix: string): Promise<void> {
  for (const worker of WORKER_ROLES)
    await client.query(`drop role if exists ${pg.escapeIdentifier(roleName(worker, prefix))}`)
}

/**
 * Grants each worker's role exactly the rights that its code uses in this release. Procedures run with their owner's
 * rights, so no role can write to a table. Rights that only other releases use stay, unless `exact`. Throws if a
 * session of a role would have a setting with which answers are wrong.
 */
export async function grantRelease(
  client: pg.ClientBase,
  { name: schema }: Pick<Release, "name">,
  { prefix = ROLE_PREFIX, exact = false } = {},
): Promise<string[]> {
  const there = await inTransaction(client, async () => {
    await client.query("select pg_advisory_xact_lock(hashtext('turnpike releases'))")
    await secureDatabase(client)
    await secureProcedures(client, schema)
    const { rows } = await client.query<{ rolname: string }>("select rolname from pg_roles where rolname = any($1)", [
      WORKER_ROLES.map((worker) => roleName(worker, prefix)),
    ])
    const inUse = WORKER_ROLES.filter((worker) => rows.some(({ rolname }) => rolname === roleName(worker, prefix)))
    for (const worker of inUse) {
      await grantWorker(client, { schema, role: roleName(worker, prefix), exact }, accessOf(worker))
    }
    return inUse
  })
  const roles = there.map((worker) => roleName(worker, prefix))
  await setRoleSettings(client, roles)
  await checkSettings(client, roles)
  await checkLetters(client)
  return there
}

/**
 * Revokes rights that PostgreSQL grants to every role by default and no worker needs: temporary tables and large
 * objects, whose size is unlimited. Only a superuser can revoke the functions of large objects, so on Neon they stay.
 */
export async function secureDatabase(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ change: string }>(
    `select format('revoke temporary on database %I from public', d.datname) as change from pg_database d
     where d.datname = current_database() and pg_has_role(d.datdba, 'usage') and exists (
       select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a where a.grantee = 0 and a.privilege_type = 'TEMPORARY')
     union all
     select format('revoke execute on function %s from public', p.oid::regprocedure) from pg_proc p
     where p.pronamespace = 'pg_catalog'::regnamespace and (p.proname ~ '^lo_' or p.proname in ('loread', 'lowrite'))
       and pg_has_role(p.proowner, 'usage') and exists (
         select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`,
  )
  if (rows.length > 0) await client.query(rows.map(({ change }) => change).join("; "))
}

/**
 * Gives procedures their owner's rights and a fixed search path, so that a caller cannot put its own table before ours.
 * SQL functions that read no table are left out, because the planner could not inline them then.
 */
async function secureProcedures(client: pg.ClientBase, schema: string): Promise<void> {
  const { procedures, inlined } = accessOf("all")
  await client.query(`revoke all on all functions in schema ${schema} from public`)
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure as signature from pg_proc p where p.pronamespace = $1::regnamespace and p.prokind = 'f' and not p.prosecdef
       and p.proname = any($2) and not (p.provolatile <> 'v' and p.prolang = (select oid from pg_language where lanname = 'sql')
         and (p.proname = any($3) or p.prosrc !~ '\\mfrom\\M'))`,
    [schema, procedures, inlined],
  )
  const changes = rows.map(
    ({ signature }) =>
      `alter function ${signature} security definer; alter function ${signature} set search_path = public, pg_temp`,
  )
  if (changes.length > 0) await client.query(changes.join("; "))
}

interface Grantee {
  schema: string
  role: string
  exact: boolean
}

async function grantWorker(
  client: pg.ClientBase,
  { schema, role, exact }: Grantee,
  access: WorkerAccess,
): Promise<void> {
  const grantee = pg.escapeIdentifier(role)
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array(select quote_ident(a.attname) from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and not (a.attname = any(array(
         select jsonb_array_elements_text($2::jsonb -> c.relname::text))))) as columns
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [Object.keys(access.tables), JSON.stringify(access.tables)],
  )
  const withheld = (table: string) => (access.tables[table] ?? []).length > 0
  const reads = rows.map(
    ({ table, columns }) =>
      `grant select ${withheld(table) ? `(${columns.join(", ")}) ` : ""}on public.${table} to ${grantee}`,
  )
  const { rows: functions } = await client.query<{ signature: string }>(
    "select p.oid::regprocedure as signature from pg_proc p where p.pronamespace = $1::regnamespace and p.proname = any($2)",
    [schema, [...access.procedures, ...access.inlined]],
  )
  const signatures = functions.map(({ signature }) => signature).join(", ")
  await client.query(
    [
      ...(exact ? [`revoke all on all tables in schema public from ${grantee}`] : []),
      `revoke all on all functions in schema ${schema} from ${grantee}`,
      `grant usage on schema ${schema} to ${grantee}`,
      `grant execute on function ${signatures} to ${grantee}`,
      ...reads,
    ].join("; "),
  )
}
