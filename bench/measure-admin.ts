import * as z from "zod"
import { createContext } from "../src/actor/context.ts"
import { parseBaseEnv } from "../src/base/env.ts"
import { App } from "../src/http/app.ts"
import type { Operation } from "../src/http/operation.ts"
import { admin } from "../src/routes/admin/group.ts"
import { signSessionToken } from "../src/sign-in/session-token.ts"
import { startSession } from "../src/sign-in/start-session.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { round } from "./statistics.ts"
import { storeAccounts, storeTurns } from "./store-books.ts"
import type { BenchWorld } from "./world.ts"

const SPACES = 50_000
const USERS = 100_000
const TASKS = 20_000
const GROUPS = 500
/**
 * The number of provider accounts, half in each pool, with snapshots of three windows every five minutes for 90 days.
 */
const ACCOUNTS = 100
const REPEATS = 5
/** Text filters that match nearly all rows, some rows, and no rows. */
const TEXTS = ["a", "77", "zzzz"]

/**
 * Measures every list and overview of admins with 100,000 users, 50,000 spaces and the stored turns. The result is the
 * fastest of 5 responses for each sort order and filter, in ms from the worker's statement to its rows (Server-Timing).
 * This includes the time of the stand-in.
 */
export async function measureAdmin(world: BenchWorld, { stored }: Options) {
  const site = await createSite(world, "admin", { runs: false, accounts: 0 })
  await fill(site, stored)
  const cookie = await signIn(site)
  const app = new App()
  admin.mount(app)
  const rows: Record<string, string> = {}
  for (const operation of app.operations.filter(({ method }) => method === "get")) {
    const times: [ms: number, query: string, status: number][] = []
    for (const query of queriesOf(operation)) times.push(await timeOf(site, cookie, pathOf(operation), query))
    times.sort(([a], [b]) => b - a)
    const [slowest = [0, "", 0]] = times
    rows[operation.path] =
      `${slowest[0]} ms at most of ${times.length} ways, for ${slowest[1] || "no filter"} (${slowest[2]})`
  }
  return rows
}

async function fill({ sql }: Site, turns: number): Promise<void> {
  const books = await storeAccounts(sql, turns, new Date(), SPACES)
  await sql(
    `insert into users (name, email, created_at) select 'Person ' || n, 'person' || n || '@example.com', now() - n * interval '1 minute'
     from generate_series(1, $1::integer) n`,
    [USERS - SPACES],
  )
  await sql(
    "insert into wallets (user_id) select user_id from users u where not exists (select from wallets w where w.user_id = u.user_id)",
  )
  await sql(
    `insert into spaces (slug, user_id, title, created_at, updated_at)
     select 'spc_' || lpad(user_id::text, 26, '0'), user_id, 'Space ' || md5(user_id::text), created_at, created_at
     from users order by user_id limit $1`,
    [SPACES],
  )
  await storeTurns(sql, books, turns)
  await sql(
    `insert into subscriptions (user_id, plan, starts_at, created_at, updated_at)
     select user_id, 'trial', created_at, created_at, created_at from users order by user_id limit $1`,
    [SPACES],
  )
  await sql(
    `insert into subscription_days select (t.finished_at at time zone 'UTC')::date, s.sub_id::text, count(*), 1, 1, 1, sum(t.billed_credit_micros)
     from turns t join subscriptions s on s.user_id = t.user_id and s.user_id % 10 = 0 group by 1, 2`,
  )
  await sql(
    `insert into tasks (space_id, brand, title, assignee_user_id, creator_user_id, created_at, updated_at)
     select 1 + n % $2, 'turnpike', 'Task ' || md5(n::text), 1 + n % 1000, 1 + n % 777, now(), now() from generate_series(1, $1::integer) n`,
    [TASKS, SPACES],
  )
  await sql(
    `with made as (insert into teams (name, created_at, updated_at) select 'Team ' || n, now(), now() from generate_series(1, $1::integer) n
       returning team_id)
     insert into team_members (team_id, user_id, created_at) select team_id, 1 + (team_id * 10 + n) % $2, now() from made, generate_series(1, 10) n`,
    [GROUPS, USERS],
  )
  await sql(
    `with made as (insert into workspaces (workspace_id, name, team_id, created_at, updated_at)
       select 'workspace-' || team_id, 'Workspace ' || team_id, team_id, now(), now() from teams returning workspace_id, team_id)
     insert into workspace_members (workspace_id, user_id, created_at)
     select workspace_id, 1 + (team_id * 10 + n) % $1, now() from made, generate_series(1, 10) n`,
    [USERS],
  )
  await fillProviders(sql)
  await sql("vacuum analyze")
}

/** Stores 7.8 million snapshots, and calls of every account in each hour. */
async function fillProviders(sql: Site["sql"]): Promise<void> {
  await sql(
    `insert into provider_accounts (provider_id, pool, name, kind, engine, created_at, updated_at)
     select case when n % 2 = 0 then 'sub-' else 'alt-' end || n, case when n % 2 = 0 then 'main' else 'alt-pool' end, 'Account ' || n,
       'oauth_code', 'anthropic', now(), now() from generate_series(1, $1::integer) n`,
    [ACCOUNTS],
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

/** Creates an admin with a session. Returns the cookie. */
async function signIn({ sql, env }: Site): Promise<string> {
  // The sign-in uses neither of them.
  const unused = { CALLBACKS_URL: "http://127.0.0.1:1", FILES: {} }
  const ctx = createContext(parseBaseEnv({ ...env, ...unused }), () => {})
  const [user] = await sql<{ user_id: string }>(
    "insert into users (name, role) values ('Ada', 'admin') returning user_id",
  )
  const { token } = await startSession(ctx, { userId: Number(user?.user_id) })
  return `token=${await signSessionToken(ctx, token)}`
}

const IDS: Record<string, string> = {
  user_id: "5",
  space_id: "5",
  chat_key: "space:spc_00000000000000000000000005",
  workspace_id: "workspace-1",
}

const pathOf = ({ path }: Operation) =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(IDS[name] ?? "1"))

/**
 * Queries without a filter, with each filter, and with each sort order in both directions, on the first and a late
 * page.
 */
function queriesOf({ query }: Operation): string[] {
  if (!query) return [""]
  const { properties = {} } = z.toJSONSchema(query, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, { enum?: string[]; type?: string; maximum?: number }>
  }
  const all = [""]
  for (const [name, { enum: values, type, maximum }] of Object.entries(properties)) {
    if (name === "format" || name === "direction" || name === "test") continue
    const directions = name === "sort" && properties.direction ? ["&direction=asc", "&direction=desc"] : [""]
    for (const value of values ?? []) all.push(...directions.map((direction) => `${name}=${value}${direction}`))
    if (name === "q") all.push(...TEXTS.map((text) => `q=${text}`))
    else if (name === "offset") all.push("offset=20000")
    else if (name === "hours") {
      for (const hours of [1, 2, 24, 72, 720, maximum]) all.push(`hours=${hours}`, `hours=${hours}&provider=main`)
    } else if (name === "limit" || name === "days") all.push(`${name}=${maximum}`)
    else if (!values && type === "integer") all.push(`${name}=5`)
    else if (!values) all.push(`${name}=5`)
  }
  return all
}

async function timeOf(
  { runtime }: Site,
  cookie: string,
  path: string,
  query: string,
): Promise<[number, string, number]> {
  let best = Infinity
  let status = 0
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const response = await fetch(`${runtime.url}${path}${query && `?${query}`}`, { headers: { cookie } })
    await response.arrayBuffer()
    status = response.status
    const [, ms = "0"] = /pg;[^,]*dur=([\d.]+)/.exec(response.headers.get("server-timing") ?? "") ?? []
    best = Math.min(best, Number(ms))
  }
  return [round(best), query, status]
}
