import pg from "pg"
import { connectOwner } from "../ops/connect-owner.ts"
import { setDatabaseSettings } from "../ops/database-settings.ts"
import { grantRelease, secureDatabase } from "../ops/grants.ts"
import { migrate } from "../ops/migrations.ts"
import { applyRelease, readRelease } from "../ops/release.ts"

/** `url` with the name of another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Runs `work` on one direct connection. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectOwner(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * How databases are made that shall differ from those of Neon: TURNPIKE_DATABASE_LOCALE is a locale of ICU, such as
 * `tr`. TURNPIKE_DATABASE_SETTINGS has default settings, such as `TimeZone=Pacific/Auckland; DateStyle=SQL, DMY`.
 */
function oddities(env = process.env) {
  const locale = env.TURNPIKE_DATABASE_LOCALE
  const settings = (env.TURNPIKE_DATABASE_SETTINGS ?? "").split(";").flatMap((setting) => {
    const [name, value] = setting.split("=").map((part) => part.trim())
    return name && value !== undefined ? [[name, value] as const] : []
  })
  return {
    locale: locale ? ` template template0 locale_provider icu icu_locale ${pg.escapeLiteral(locale)} locale 'C'` : "",
    settings,
  }
}

export async function addDatabase(adminUrl: string, name: string, template?: string): Promise<string> {
  const { locale, settings } = oddities()
  await withClient(adminUrl, async (client) => {
    const database = pg.escapeIdentifier(name)
    // For a small template, copying its files takes a quarter of the time of writing its pages to the WAL.
    const from = template ? ` template ${pg.escapeIdentifier(template)} strategy file_copy` : locale
    await client.query(`create database ${database}${from}`)
    for (const [setting, value] of settings) {
      await client.query(`alter database ${database} set ${setting} = ${pg.escapeLiteral(value)}`)
    }
  })
  const url = withDatabase(adminUrl, name)
  // A copy inherits neither the settings of its template nor the privileges that were revoked from all roles.
  if (template) {
    await withClient(url, async (client) => {
      await setDatabaseSettings(client)
      await secureDatabase(client)
    })
  }
  return url
}

export async function databaseExists(adminUrl: string, name: string): Promise<boolean> {
  const { rowCount } = await withClient(adminUrl, (client) =>
    client.query("select 1 from pg_database where datname = $1", [name]),
  )
  return rowCount === 1
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminUrl, (client) =>
    client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`),
  )
}

/**
 * Applies all migrations and the procedures of this release, and grants them to the roles with that prefix. No worker
 * of an earlier release may use the database.
 */
export async function applySchema(url: string, prefix?: string): Promise<void> {
  await withClient(url, async (client) => {
    const release = await readRelease()
    await migrate(client, { phase: "after-deploy" })
    await applyRelease(client, release)
    await grantRelease(client, release, { ...(prefix && { prefix }), exact: true })
  })
}
