import { createHash } from "node:crypto"
import { newId } from "../base/ids.ts"
import type { CreditReason } from "../billing/buckets.ts"
import { type NewKey, newKey } from "../keys/create-key.ts"
import { callOf } from "../platform/db.ts"
import type { Answers, ArgumentsOf, ProcedureName } from "../platform/procedures.ts"

const DEFAULT_BRAND = "turnpike"

/** Runs a statement on any kind of direct connection and returns its rows. */
export type RunSql = (query: string, params: unknown[]) => Promise<Record<string, unknown>[]>

/** Calls a procedure and returns its row. Depending on the connection, int8 values can be strings. */
async function run<Name extends ProcedureName>(
  sql: RunSql,
  name: Name,
  args: ArgumentsOf<Name>,
): Promise<Record<string, unknown>> {
  const { sql: text, parameters } = callOf(name, args)
  const [row] = await sql(text, parameters)
  if (!row) throw new Error(`${name} returned no row`)
  return row
}

interface NewUser {
  email?: string | null
  name?: string | null
  role?: "user" | "admin"
  passwordHash?: string | null
  brand?: string
}

/** Creates a user with an empty wallet. Returns its user_id. */
export async function createUser(
  sql: RunSql,
  { email = null, name = null, role = "user", passwordHash = null, brand = DEFAULT_BRAND }: NewUser,
): Promise<number> {
  const { seed_user } = await run(sql, "seed_user", { email, name, role, password_hash: passwordHash, brand })
  return Number(seed_user)
}

/**
 * Books credit like creditAccount, once per call. Returns the new balance in credit micros; null for an unknown user.
 */
export async function topUp(sql: RunSql, { userId, micros, reason, actor, note, now }: TopUp): Promise<number | null> {
  const row = await run(sql, "book_entry", {
    user_id: userId,
    reason,
    amount: micros,
    actor,
    note: note ?? null,
    moment: now,
    turn_id: null,
    reference: null,
    currency: null,
    minor: null,
  })
  const { entry, refused } = row.booking as Answers["booking"]
  if (refused === "balance_too_low") throw new Error("The available balance of the account is lower than this amount.")
  return entry?.balance_after_credit_micros ?? null
}

interface TopUp {
  userId: number
  micros: number
  reason: CreditReason
  actor: string
  note?: string
  now: Date
}

/** Creates a space with example tasks in the key's account, if the database has no tasks. */
export async function seedTasks(sql: RunSql, { key, now }: { key: string; now: Date }): Promise<void> {
  await run(sql, "seed_tasks", { key, slug: newId("space", now), moment: now })
}

/** Subscribes a user to a plan from now on. `plans` becomes the value of the setting `plans` if it has none. */
export async function subscribe(
  sql: RunSql,
  { userId, plan, plans, now }: { userId: number; plan: string; plans: object; now: Date },
): Promise<void> {
  await run(sql, "seed_subscription", { user_id: userId, plan, plans, moment: now })
}

/** Creates an API key. Its value is returned and not stored. */
export async function createApiKey(
  sql: RunSql,
  { userId, spaceId, now, ...key }: NewKey & { userId: number; spaceId?: number | null; now: Date },
): Promise<{ key_id: string; value: string }> {
  const { value, row } = newKey(key, now)
  const owned = { ...row, user_id: userId, space_id: spaceId ?? null }
  await run(sql, "seed_key", { key: owned })
  return { key_id: row.key_id, value }
}

/**
 * Creates an example team, a workspace with members and a space in the key's account. It does so only once, so that
 * changes by an operator stay. Returns true if it created them.
 */
export async function seedGroups(sql: RunSql, { apiKey, now }: { apiKey: string; now: Date }): Promise<boolean> {
  const key_hash = createHash("sha256").update(apiKey).digest("hex")
  const { seed_groups } = await run(sql, "seed_groups", { key_hash, slug: newId("space", now), moment: now })
  return seed_groups === true
}
