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

/** Adds credit with its ledger row, in one statement. Returns the new balance in credit micros; null for no such user. */
export async function topUp(sql: RunSql, { userId, micros, reason, actor, note, now }: TopUp): Promise<number | null> {
  const rows = await sql(
    `with paid as (
       update wallets set balance_credit_micros = balance_credit_micros + $2::bigint where user_id = $1::bigint
       returning balance_credit_micros as balance
     )
     insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, actor, note, created_at)
     select $1::bigint, $3, $2::bigint, balance, $4, $5, $6 from paid
     returning balance_after_credit_micros as balance`,
    [userId, micros, reason, actor, note ?? null, now.toISOString()],
  )
  return rows[0] ? Number(rows[0].balance) : null
}

interface TopUp {
  userId: number
  micros: number
  reason: "operator_topup" | "admin_grant" | "manual_topup"
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
