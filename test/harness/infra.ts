import { type Admin, reconcileAsAdmin, signInAdmin } from "./books.ts"
import { expectBooks } from "./promises.ts"
import { createWorld, type World } from "./world.ts"

export const GIB = 2 ** 30
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** The prices of the tests, in USD. A second costs 100 credit micros, and a GiB costs 5,000 per hour. */
export const PRICES = { container_second_usd: 0.00001, stored_gib_hour_usd: 0.0005 }

export async function setPrices(admin: Admin, prices: Record<string, number> = PRICES): Promise<void> {
  for (const [key, value] of Object.entries(prices)) {
    const [status, answer] = await admin.json("PUT", "/api/admin/settings", { key, value })
    if (status !== 200) throw new Error(JSON.stringify(answer))
  }
}

/** A world with these prices, and one of its admins. */
export async function createInfraWorld() {
  const world = await createWorld()
  const admin = await signInAdmin(world)
  await setPrices(admin)
  return { world, admin, account: async (usd = 10) => (await world.createAccount({ usd })).userId }
}

export const askForBills = (admin: Admin, query = "") => admin.json("POST", `/api/admin/system/bill-infra${query}`)

/** Inserts a file of any size into an account's books without storing it. Returns its file_id. */
export async function storeFile(world: World, userId: number, bytes: number, { test = false } = {}): Promise<string> {
  const id = `file_${crypto.randomUUID()}`
  await world.sql(
    `with s as (insert into spaces (slug, user_id, title, test, created_at, updated_at) values ($1, $2, 'Files', $5, $4, $4) returning *)
     insert into files (file_id, user_id, space_id, test, name, media_type, bytes, object_key, state, created_at, updated_at)
     select $1, $2, s.space_id, $5, 'a', 'text/plain', $3, $1, 'ready', $4, $4 from s`,
    [id, userId, bytes, world.clock.now(), test],
  )
  return id
}

export const dropFile = (world: World, fileId: string) =>
  world.sql("update files set state = 'deleted', updated_at = $2 where file_id = $1", [fileId, world.clock.now()])

/** Records the time of a call in a container, as the commit of its results does. */
export const useContainer = (world: World, userId: number, milliseconds: number) =>
  world.sql(
    `insert into container_calls (user_id, space_id, turn_id, container, milliseconds, created_at) values ($1, 1, 'turn_x', 'c', $2, $3)`,
    [userId, milliseconds, world.clock.now()],
  )

interface InfraEntry {
  amount: number
  reference: string
  actor: string
  turn_id: string | null
  note: string
}

/** The account's ledger rows for containers and storage, oldest first. */
export const chargesOf = (world: World, userId: number) =>
  world.sql<InfraEntry>(
    `select -amount_credit_micros::float8 as amount, reference, actor, turn_id, note from ledger
     where user_id = $1 and reason = 'space_usage' and turn_id is null order by ledger_id`,
    [userId],
  )

export async function dueOf(world: World, userId: number): Promise<number> {
  const rows = await world.sql<{ due: number }>(
    "select due_credit_micros::float8 as due from infra_accounts where user_id = $1",
    [userId],
  )
  return rows[0]?.due ?? 0
}

export async function availableOf(world: World, userId: number): Promise<number> {
  const rows = await world.sql<{ left: number }>(
    `select (w.balance_credit_micros - w.folded_credit_micros - w.held_credit_micros + coalesce((select
       sum(s.balance_credit_micros - s.held_credit_micros) from wallet_shards s where s.user_id = w.user_id), 0))::float8 as left
     from wallets w where w.user_id = $1`,
    [userId],
  )
  return rows[0]?.left ?? 0
}

/** Checks that the ledger, dues, bills and the reconciliation agree for these accounts. */
export async function expectInfraBooks(world: World, admin: Admin, userIds: number[]): Promise<void> {
  for (const userId of userIds) await expectBooks(world, userId)
  const wrong = await world.sql(
    `select b.user_id, sum(b.cost_credit_micros) as cost, sum(b.billed_credit_micros) as billed, a.due_credit_micros from infra_bills b
     join infra_accounts a on a.user_id = b.user_id group by b.user_id, a.due_credit_micros
     having sum(b.cost_credit_micros - b.billed_credit_micros) <> a.due_credit_micros
       or sum(b.billed_credit_micros) <> (select coalesce(-sum(l.amount_credit_micros), 0) from ledger l
         where l.user_id = b.user_id and l.reason = 'space_usage' and l.turn_id is null)`,
  )
  if (wrong.length > 0) throw new Error(`bills do not agree: ${JSON.stringify(wrong)}`)
  const report = await reconcileAsAdmin(admin)
  if (report.findings_total > 0) throw new Error(JSON.stringify(report.findings))
}
