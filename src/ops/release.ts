import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type pg from "pg"
import { ADMIN_SQL, CALLER_SQL } from "../actor/envelope-sql.ts"
import { ROLLUP_SQL } from "../analytics/rollup-sql.ts"
import { PRICE_SQL } from "../catalog/price-sql.ts"

/** The procedures of this source, and the database schema in which a worker of this source calls them. */
export interface Release {
  /** `turnpike_` and the first 12 hex digits of the SHA-256 of all their texts. */
  name: string
  sql: string
}

const SOURCE = join(import.meta.dirname, "..")

/** The files use the schema name `turnpike`, which is replaced by the release's name. */
const PLACEHOLDER = /\bturnpike\./g

/** The first line of a template file. Each word makes one copy, in which it replaces `{{name}}`. */
const EXPANDED = /^-- expand (\w+): ([\w, ]+)\n/

/** A part that a declaration makes: the declaration, the part's name, and its argument. */
const MADE = /\{\{(rollups|prices|caller|admin)\.(\w+)(?: ([^}]+))?\}\}/g
const MAKERS = { rollups: ROLLUP_SQL, prices: PRICE_SQL, caller: CALLER_SQL, admin: ADMIN_SQL }

/**
 * Expands a template file. A file whose first line is `-- expand entity: space, user` results in two copies, with
 * `{{entity}}` replaced by `space` and by `user`. Declarations make parts such as `{{rollups.upserts}}`,
 * `{{prices.columns c}}` and `{{caller.opens}}` (`*-sql.ts`).
 */
export function expand(source: string): string {
  const text = source.replaceAll(MADE, (all, of: keyof typeof MAKERS, part: string, argument = "") => {
    const make = MAKERS[of][part]
    if (!make) throw new Error(`${all}: the declaration has no such part`)
    return make(argument)
  })
  const [line, name, words] = EXPANDED.exec(text) ?? []
  if (!line || !name || !words) return text
  const body = text.slice(line.length)
  return words
    .split(", ")
    .map((word) => body.replaceAll(`{{${name}}}`, word))
    .join("\n")
}

const TYPE = /^create type turnpike\.(\w+) as \([^;]*?\n?\);\n?/gm

/** Moves all types before the functions that use them, and each type after the types that it uses. */
function typesFirst(text: string): string {
  const types = new Map([...text.matchAll(TYPE)].map(([type, name]) => [name ?? "", type]))
  const ordered = new Set<string>()
  const add = (name: string) => {
    const type = types.get(name)
    if (type === undefined || ordered.has(type)) return
    for (const [, other] of type.matchAll(/turnpike\.(\w+)/g)) if (other && other !== name) add(other)
    ordered.add(type)
  }
  for (const name of types.keys()) add(name)
  return [...ordered, text.replace(TYPE, "")].join("\n")
}

/** Reads `src/**\/*.sql`. */
export async function readRelease(source = SOURCE): Promise<Release> {
  const entries = await readdir(source, { recursive: true })
  const paths = entries.filter((path) => path.endsWith(".sql")).sort()
  const texts = await Promise.all(paths.map(async (path) => expand(await readFile(join(source, path), "utf8"))))
  const text = typesFirst(texts.join("\n"))
  const name = `turnpike_${createHash("sha256").update(text).digest("hex").slice(0, 12)}`
  return { name, sql: text.replace(PLACEHOLDER, `${name}.`) }
}

/**
 * Adds a release to a database in one transaction and changes no other release. Returns false if the database has it
 * already. Function bodies are checked after all functions exist, because they call each other.
 */
export async function applyRelease(client: pg.Client, { name, sql }: Release): Promise<boolean> {
  await client.query("begin")
  try {
    await client.query("select pg_advisory_xact_lock(hashtext('turnpike releases'))")
    const { rowCount } = await client.query("select 1 from pg_namespace where nspname = $1", [name])
    if (rowCount === 0) {
      await client.query("set local check_function_bodies = off")
      await client.query(`create schema ${name}; ${sql}`)
      const noted = "on conflict (name) do update set applied_at = excluded.applied_at"
      await client.query(`insert into procedure_releases (name, applied_at) values ($1, now()) ${noted}`, [name])
    }
    await client.query("commit")
    return rowCount === 0
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}

/**
 * Removes the procedures of releases that were applied more than `keepDays` ago, and returns the releases' names. It
 * keeps `current`, and the release before it, which workers need after a rollback.
 */
export async function pruneReleases(
  client: pg.Client,
  current: Release,
  { keepDays }: { keepDays: number },
): Promise<string[]> {
  if (!(keepDays >= 0)) throw new Error("--keep-days must be a number of days from 0.")
  const { rows } = await client.query<{ name: string }>(
    `select r.name from procedure_releases r
     where r.name <> $1 and r.applied_at < now() - make_interval(days => $2)
       and r.name <> coalesce((select b.name from procedure_releases b where b.name <> $1 order by b.applied_at desc limit 1), '')
     order by r.applied_at`,
    [current.name, Math.floor(keepDays)],
  )
  for (const { name } of rows) {
    await client.query(`drop schema if exists ${name} cascade`)
    await client.query("delete from procedure_releases where name = $1", [name])
  }
  return rows.map(({ name }) => name)
}
