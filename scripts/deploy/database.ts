import { createHash, randomBytes } from "node:crypto"
import type pg from "pg"
import { audited, noteAct } from "../../src/ops/audited.ts"
import { connectOwner } from "../../src/ops/connect-owner.ts"
import { directContext } from "../../src/ops/direct.ts"
import { createRoles, grantRelease, ROLE_PREFIX, roleName, urlFor } from "../../src/ops/grants.ts"
import { migrateDatabase } from "../../src/ops/migrate-database.ts"
import { readMigrations } from "../../src/ops/migration-files.ts"
import { publishSigningKeys } from "../../src/ops/publish-signing-keys.ts"
import { readRelease } from "../../src/ops/release.ts"
import { createApiKey, createUser, type RunSql } from "../../src/ops/seed.ts"
import { hashPassword } from "../../src/sign-in/password.ts"
import type { Settings } from "./settings.ts"
import { GROUPS, type GroupName, urlSettingOf } from "./variables.ts"

const CHECK_NAME = "Deploy check"

/** Roles belong to the whole server, so a stage on the server of production has roles of its own. */
export const rolePrefix = (stage: string | undefined) =>
  stage ? `${ROLE_PREFIX}_${stage.replaceAll("-", "_")}` : ROLE_PREFIX

/**
 * The pooled host of a Neon database, for the workers: it shares few connections among many requests. Other hosts stay
 * as they are.
 */
export function pooledUrl(url: string): string {
  const pooled = new URL(url)
  pooled.hostname = pooled.hostname.replace(/^(ep-[a-z0-9-]+?)(-pooler)?\.(.+\.neon\.tech)$/, "$1-pooler.$3")
  return pooled.href
}

/** Where Cloudflare should run the workers: close to this database. */
export function placementOf(url: string): { region: string } | { host: string } {
  const { hostname, port } = new URL(url)
  const [, region, cloud] = /\.([a-z0-9-]+)\.(aws|azure)\.neon\.tech$/.exec(hostname) ?? []
  return region && cloud ? { region: `${cloud}:${region}` } : { host: `${hostname}:${port || 5432}` }
}

async function connected<T>(settings: Settings, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectOwner(settings.DATABASE_URL as string, 15_000)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** What a deployment would change in the database. It only reads. */
export function inspectDatabase(settings: Settings, prefix: string) {
  return connected(settings, async (client) => {
    const names = async (query: string, values: unknown[] = []) =>
      (await client.query<{ name: string }>(query, values)).rows.map(({ name }) => name)
    const isThere = async (table: string) => (await names("select to_regclass($1)::text as name", [table]))[0] !== null
    const applied = (await isThere("schema_migrations")) ? await names("select name from schema_migrations") : []
    const roles = await names("select rolname as name from pg_roles where rolname = any($1)", [
      GROUPS.map((group) => roleName(group, prefix)),
    ])
    const [release] = [await readRelease()]
    const users = (await isThere("users"))
      ? (await client.query<{ count: number }>("select count(*)::integer from users")).rows
      : []
    return {
      waiting: (await readMigrations()).map(({ name }) => name).filter((name) => !applied.includes(name)),
      hasRelease:
        (await names("select nspname as name from pg_namespace where nspname = $1", [release.name])).length > 0,
      missingRoles: GROUPS.map((group) => roleName(group, prefix)).filter((role) => !roles.includes(role)),
      users: users[0]?.count ?? 0,
    }
  })
}

/**
 * Migrates the database, and creates the roles of the workers whose connection strings are not known. A role that
 * exists, but whose password is not known, gets a new one. Returns the new connection strings.
 */
export function prepareDatabase(settings: Settings, prefix: string, log: (line: string) => void): Promise<Settings> {
  return connected(settings, async (client) => {
    const ctx = directContext(client)
    const { text, isBlocked } = await migrateDatabase(client, ctx, { phase: "before-deploy", prefix, log })
    log(text)
    if (isBlocked) throw new Error("The database must first be migrated with --after-deploy.")
    const missing = GROUPS.filter((group) => !settings[urlSettingOf(group)])
    const made = await createRoles(client, { workers: missing, prefix, renew: true })
    await grantRelease(client, await readRelease(), { prefix })
    await publishSigningKeys(ctx, settings.SECRETS_KEYS as string)
    if (missing.length > 0) {
      await noteAct(ctx, { action: "cli.grant", subject: ["worker", missing.join(" ")], after: { renew: true } })
    }
    const url = pooledUrl(settings.DATABASE_URL as string)
    return Object.fromEntries(
      Object.entries(made).map(([group, password]) => [
        urlSettingOf(group as GroupName),
        urlFor(url, roleName(group, prefix), password),
      ]),
    )
  })
}

/**
 * Creates the first admin, if there is no user, and a test key for the rehearsed turn, unless the known one works.
 * Returns the admin's id and password if it was created, and the test key.
 */
export function prepareAccount(
  settings: Settings,
): Promise<{ created: { id: number; password: string } | null; key: string }> {
  return connected(settings, async (client) => {
    const ctx = directContext(client)
    const sql: RunSql = async (query, params) => (await client.query(query, params)).rows
    const find = async (query: string, values: unknown[] = []) =>
      (await client.query<{ id: string }>(query, values)).rows[0]?.id
    let created: { id: number; password: string } | null = null
    if ((await find("select user_id::text as id from users limit 1")) === undefined) {
      const password = randomBytes(15).toString("base64url")
      const user = { email: settings.ADMIN_EMAIL as string, role: "admin" } as const
      const passwordHash = await hashPassword(password)
      const id = await audited(
        client,
        ctx,
        () => createUser(sql, { ...user, passwordHash }),
        (id) => ({ action: "user.create", subject: ["user", id], after: user }),
      )
      created = { id: Number(id), password }
    }
    const known = settings.CHECK_API_KEY
    const hash = createHash("sha256")
      .update(known ?? "")
      .digest()
    if (known && (await find("select key_id as id from api_keys where hash = $1 and revoked_at is null", [hash]))) {
      return { created, key: known }
    }
    const admin = await find(
      "select user_id::text as id from users where role = 'admin' and disabled_at is null order by user_id limit 1",
    )
    if (!admin)
      throw new Error("The database has users, but no admin: run `npm run admin -- role --user ID --role admin`.")
    const key = {
      userId: Number(admin),
      name: CHECK_NAME,
      scope: "created",
      brand: settings.BRAND ?? "turnpike",
      test: true,
    } as const
    const { value } = await audited(
      client,
      ctx,
      () => createApiKey(sql, { ...key, now: ctx.clock.now() }),
      (made) => ({ action: "key.create", subject: ["key", made.key_id], after: key }),
    )
    return { created, key: value }
  })
}
