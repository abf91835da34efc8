import type { CreditReason } from "../billing/buckets.ts"
import { type NewKey, newKey } from "../identity/new-key.ts"

/** The least that a direct connection of any kind offers. */
export type RunSql = (query: string, params: unknown[]) => Promise<Record<string, unknown>[]>

/** Creates a user with an empty wallet. Returns its user_id. */
export async function createUser(
  sql: RunSql,
  user: { email?: string | null; name?: string; role?: "user" | "admin"; passwordHash?: string },
): Promise<number> {
  const rows = await sql(
    `with made as (
       insert into users (email, email_verified, name, role, password_hash) values ($1::text, $1::text is not null, $2, $3, $4)
       returning user_id
     ), wallet as (insert into wallets (user_id) select user_id from made)
     select user_id from made`,
    [user.email ?? null, user.name ?? null, user.role ?? "user", user.passwordHash ?? null],
  )
  return Number(rows[0]?.user_id)
}

/** Books credit as creditAccount does, each time anew. Returns the new balance in credit micros; null for no such user. */
export async function topUp(sql: RunSql, { userId, micros, reason, actor, note, now }: TopUp): Promise<number | null> {
  const rows = await sql(
    `select entry ->> 'balance_after_credit_micros' as balance, refused from book_entry($1::bigint, $3::text, $2::bigint,
       null, null, null, null, $4::text, $5::text, $6::timestamptz)`,
    [userId, micros, reason, actor, note ?? null, now.toISOString()],
  )
  if (rows[0]?.refused === "balance_too_low") throw new Error("The account has less than that available.")
  return rows[0]?.balance == null ? null : Number(rows[0].balance)
}

interface TopUp {
  userId: number
  micros: number
  reason: CreditReason
  actor: string
  note?: string
  now: Date
}

/** Creates an API key. Its value is returned here and stored nowhere. */
export async function createApiKey(
  sql: RunSql,
  { userId, spaceId, now, ...key }: NewKey & { userId: number; spaceId?: number | null; now: Date },
): Promise<{ key_id: string; value: string }> {
  const { value, row } = newKey(key, now)
  const owned = { ...row, user_id: userId, space_id: spaceId ?? null }
  await sql("insert into api_keys select * from jsonb_populate_record(null::api_keys, $1::jsonb)", [
    JSON.stringify(owned),
  ])
  return { key_id: row.key_id, value }
}
