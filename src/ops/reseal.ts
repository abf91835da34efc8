import type pg from "pg"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"

interface Sealed {
  table: string
  column: string
  /** The table in the seal target, if it differs from `table`. */
  sealedFor?: string
  /** SQL expressions over the row `t` for the fields of the SealTarget that the verb uses. */
  row: string
  owner: string
}

const SLUG = "(select s.slug from spaces s where s.space_id = t.space_id)"

/** Every column with values that the key ring encrypts. Encrypted values in Redis expire within minutes. */
export const SEALED_COLUMNS: readonly Sealed[] = [
  { table: "space_secrets", column: "sealed", row: "t.name", owner: SLUG },
  { table: "container_mappings", column: "headers", row: "t.container", owner: SLUG },
  { table: "webhook_endpoints", column: "secret", row: "t.webhook_id", owner: "t.webhook_id" },
  {
    table: "former_signing_secrets",
    column: "secret",
    sealedFor: "webhook_endpoints",
    row: "t.webhook_id",
    owner: "t.webhook_id",
  },
  { table: "trace_exports", column: "headers", row: "t.headers_id", owner: "t.headers_id" },
  { table: "brands", column: "bot_token", row: "t.brand", owner: "t.brand" },
  { table: "brands", column: "bot_webhook_secret", row: "t.brand", owner: "t.brand" },
  { table: "workspaces", column: "bot_token", row: "t.workspace_id", owner: "t.workspace_id" },
  { table: "workspaces", column: "bot_webhook_secret", row: "t.workspace_id", owner: "t.workspace_id" },
  { table: "environment_files", column: "sealed", row: "t.file", owner: "'operator'" },
  { table: "second_factors", column: "secret", row: "t.user_id::text", owner: "t.user_id::text" },
  { table: "provider_credentials", column: "sealed", row: "t.provider_id", owner: "'operator'" },
  { table: "provider_reports", column: "sealed", row: "t.provider_id", owner: "'operator'" },
  { table: "provider_logins", column: "sealed", row: "t.login_id", owner: "'operator'" },
]

const BATCH = 500

interface Row {
  location: string
  sealed: string
  row: string
  owner: string
}

/**
 * Encrypts every value again that does not use the first key of the ring. It can be repeated and can run while workers
 * run: values that change at the same time are skipped. The report counts values that no key of the ring can decrypt.
 */
export async function resealAll(client: pg.ClientBase, keys: string | undefined): Promise<string> {
  if (!keys) throw new Error("Set SECRETS_KEYS to the whole key ring.")
  const ring = createKeyRing(parseKeyRing(keys))
  const newest = keys.split(":")[0]?.trim() ?? ""
  const lines: string[] = []
  for (const sealed of SEALED_COLUMNS) {
    const { done, failed } = await resealColumn(client, ring, {
      ...sealed,
      prefix: `${newest}.${sealed.sealedFor ?? sealed.table}.`,
    })
    const rest = failed > 0 ? `, ${failed} cannot be decrypted` : ""
    if (done + failed > 0) lines.push(`${sealed.table}.${sealed.column}: ${done} encrypted again${rest}`)
  }
  return lines.length > 0 ? lines.join("\n") : `Every value is encrypted with the key ${newest}.`
}

async function resealColumn(
  client: pg.ClientBase,
  ring: ReturnType<typeof createKeyRing>,
  { table, column, sealedFor = table, row, owner, prefix }: Sealed & { prefix: string },
): Promise<{ done: number; failed: number }> {
  const counts = { done: 0, failed: 0 }
  for (let after = "(0,0)"; ; ) {
    const { rows } = await client.query<Row>(
      `select t.ctid::text as location, t.${column} as sealed, ${row} as row, ${owner} as owner from ${table} t
       where t.ctid > $1::tid and not starts_with(t.${column}, $2) order by t.ctid limit ${BATCH}`,
      [after, prefix],
    )
    const last = rows.at(-1)
    if (!last) return counts
    after = last.location
    for (const { location, sealed, row, owner } of rows) {
      const target = { table: sealedFor, column, row, owner }
      try {
        const { text } = await ring.open(sealed, target)
        const anew = await ring.seal(text, target)
        await client.query(`update ${table} set ${column} = $1 where ctid = $2::tid and ${column} = $3`, [
          anew,
          location,
          sealed,
        ])
        counts.done++
      } catch {
        counts.failed++
      }
    }
  }
}
