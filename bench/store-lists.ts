import type { Sql } from "./site.ts"
import { storeAccounts, storeTurns } from "./store-books.ts"

/** How many rows the lists of operators have. */
interface ListSizes {
  turns: number
  /** Accounts, each with one space and its share of the turns. */
  spaces: number
  /** All users. */
  users: number
  tasks: number
  /** Teams with 10 members each, and workspaces with these teams and 10 members of their own. */
  groups: number
  /** Provider accounts, half in each pool, with snapshots of three windows every five minutes for 90 days. */
  accounts: number
}

/** Fills the lists of operators in an empty database: the turns of a year with all that counts them. */
export async function storeLists(
  sql: Sql,
  { turns, spaces, users, tasks, groups, accounts }: ListSizes,
): Promise<void> {
  const books = await storeAccounts(sql, turns, new Date(), spaces)
  await sql(
    `insert into users (name, email, created_at) select 'Person ' || n, 'person' || n || '@example.com', now() - n * interval '1 minute'
     from generate_series(1, $1::integer) n`,
    [users - spaces],
  )
  await sql(
    "insert into wallets (user_id) select user_id from users u where not exists (select from wallets w where w.user_id = u.user_id)",
  )
  await sql(
    `insert into spaces (slug, user_id, title, created_at, updated_at)
     select 'spc_' || lpad(user_id::text, 26, '0'), user_id, 'Space ' || md5(user_id::text), created_at, created_at
     from users order by user_id limit $1`,
    [spaces],
  )
  await storeTurns(sql, books, turns)
  await sql(
    `insert into subscriptions (user_id, plan, starts_at, created_at, updated_at)
     select user_id, 'trial', created_at, created_at, created_at from users order by user_id limit $1`,
    [spaces],
  )
  await sql(
    `insert into subscription_days select (t.finished_at at time zone 'UTC')::date, s.sub_id::text, count(*), 1, 1, 1, sum(t.billed_credit_micros)
     from turns t join subscriptions s on s.user_id = t.user_id and s.user_id % 10 = 0 group by 1, 2`,
  )
  await sql(
    `insert into tasks (space_id, brand, title, assignee_user_id, creator_user_id, created_at, updated_at)
     select 1 + n % $2, 'turnpike', 'Task ' || md5(n::text), 1 + n % 1000, 1 + n % 777, now(), now() from generate_series(1, $1::integer) n`,
    [tasks, spaces],
  )
  await sql(
    `with made as (insert into teams (name, created_at, updated_at) select 'Team ' || n, now(), now() from generate_series(1, $1::integer) n
       returning team_id)
     insert into team_members (team_id, user_id, created_at) select team_id, 1 + (team_id * 10 + n) % $2, now() from made, generate_series(1, 10) n`,
    [groups, users],
  )
  await sql(
    `with made as (insert into workspaces (workspace_id, name, team_id, created_at, updated_at)
       select 'workspace-' || team_id, 'Workspace ' || team_id, team_id, now(), now() from teams returning workspace_id, team_id)
     insert into workspace_members (workspace_id, user_id, created_at)
     select workspace_id, 1 + (team_id * 10 + n) % $1, now() from made, generate_series(1, 10) n`,
    [users],
  )
  await storeProviders(sql, accounts)
  await sql("vacuum analyze")
}

/** Stores 78,000 snapshots of each provider account, and calls in each hour. */
async function storeProviders(sql: Sql, accounts: number): Promise<void> {
  await sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, created_at, updated_at)
     select case when n % 2 = 0 then 'sub-' else 'alt-' end || n, case when n % 2 = 0 then 'main' else 'alt-pool' end, 'Account ' || n,
       'oauth_code', 'anthropic', now(), now() from generate_series(1, $1::integer) n`,
    [accounts],
  )
  await sql(
    "insert into provider_credentials (provider_id, sealed, updated_at) select provider_id, '-', now() from provider_accounts",
  )
  // In the order of a real service: by time, not by account.
  for (let day = 90; day > 0; day--) {
    await sql(
      `insert into quota_snapshots (provider_id, resource, window_seconds, used_pct, reset_at, taken_at)
       select a.provider_id, 'unified', w.seconds, (extract(epoch from t)::bigint / 300 + w.seconds) % 101, t + interval '1 hour', t
       from generate_series(now() - $1::integer * interval '1 day', now() - ($1::integer - 1) * interval '1 day' - interval '1 second',
         interval '5 minutes') t, unnest(array[3600, 18000, 604800]) w(seconds), provider_accounts a`,
      [day],
    )
  }
  for (const [table, column, unit, count] of [
    ["account_hours", "hour", "hour", 2_160],
    ["account_days", "day", "day", 90],
  ] as const) {
    await sql(
      `insert into ${table} (${column}, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
         billed_credit_micros, last_call_at)
       select date_trunc('${unit}', now(), 'UTC') - n * interval '1 ${unit}', provider_id, 12, 120000, 90000, 6000, 1234567, 1234567, now()
       from generate_series(0, $1::integer) n, provider_accounts`,
      [count],
    )
  }
}
