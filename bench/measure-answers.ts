import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parse } from "smol-toml"
import { undeclared } from "../src/base/casts.ts"
import { App, type Group } from "../src/http/app.ts"
import type { Operation } from "../src/http/operation.ts"
import { withClient } from "../src/local/databases.ts"
import { directContext } from "../src/ops/direct.ts"
import { publishSigningKeys } from "../src/ops/publish-signing-keys.ts"
import { REPORT_FILE_POLICY } from "../src/report-files/policies.ts"
import { account } from "../src/routes/account/group.ts"
import { admin } from "../src/routes/admin/group.ts"
import { v1 } from "../src/routes/v1/group.ts"
import type { Options, Size } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { createBenchAccount, createSite, type Site } from "./site.ts"
import { startAdminCookie, startCookie } from "./start-cookie.ts"
import { round } from "./statistics.ts"
import { storeLists } from "./store-lists.ts"
import { storeOwner } from "./store-owner.ts"
import type { BenchWorld } from "./world.ts"

/** Together 10,000 spaces and 100,000 users. The turns of a year use every space. */
const SIZES = {
  full: {
    lists: { turns: 20_000, spaces: 1_000, users: 100_000, tasks: 20_000, groups: 1_000, accounts: 20 },
    owned: { spaces: 9_000, endUsers: 100_000, turns: 100_000 },
    repeats: 3,
  },
  smoke: {
    lists: { turns: 200, spaces: 20, users: 1_000, tasks: 20, groups: 2, accounts: 2 },
    owned: { spaces: 30, endUsers: 20, turns: 300 },
    repeats: 1,
  },
}

/** Queries of operations that require one, with the ids of `idsOf`. */
const QUERIES: Record<string, string> = {
  getHourlySpaces: `?start=${new Date(Date.now() - 86_400_000).toISOString()}&end=${new Date().toISOString()}`,
  searchEverything: "?q=space",
  getEndUsersReport: "?user_id={user_id}",
  search: "?q=space",
}

/** The days of the largest CSV of all spaces that is no file of a callback. */
const DAYS_OF_CSV = REPORT_FILE_POLICY.rowsAtOnce / (SIZES.full.lists.spaces + SIZES.full.owned.spaces)

/** Longer ranges than the default, of lists whose entries have days. */
const LONG: Record<string, string[]> = {
  getDailyUsage: [
    "?group_by=slug",
    "?group_by=slug&days=365",
    "?group_by=slug&days=365&empty_days=false",
    // Has as many rows as a request answers with.
    `?group_by=slug&days=${DAYS_OF_CSV}&format=csv`,
  ],
  getContextSize: ["?days=90", "?days=90&empty_days=false"],
  getSubscriptionUsage: ["?days=365"],
}

/** An answer to a request without optional parameters. */
export interface DefaultAnswer {
  /** The path of the operation, with its query. */
  path: string
  group: string
  status: number
  bytes: number
  /** The entries of its longest list, and of all lists in it. */
  entries: number
  rows: number
  ms: number
  /** The CPU time of the worker, with all that workerd does. */
  cpu_ms: number
  /** The most CPU time that wrangler.toml gives the group's worker. */
  limit_ms: number
}

/** Starts a site with 10,000 spaces, 100,000 users and the turns of a year. One account owns most of them. */
export async function createLargeSite(world: BenchWorld, size: Size = "full"): Promise<Site> {
  const { lists, owned } = SIZES[size]
  const site = await createSite(world, "answers", { runs: false, accounts: 0 })
  await storeLists(site.sql, lists)
  const { SECRETS_KEYS: ring = "" } = site.env
  // For receipts, which are signed.
  await withClient(site.databaseUrl, (client) => publishSigningKeys(directContext(client), ring))
  const owner = await createBenchAccount(world.version.seed, site.sql, site.runtime.url, {})
  await site.sql("update api_keys set scope = 'all' where user_id = $1", [owner.userId])
  await storeOwner(site.sql, { userId: owner.userId, ...owned })
  return { ...site, accounts: [owner] }
}

/**
 * Reads the default answer of every GET of the admin, account and v1 workers, and longer ranges of lists whose entries
 * have days. Times are the least of `repeats` reads.
 */
export async function readDefaultAnswers(site: Site, repeats: number): Promise<DefaultAnswer[]> {
  const [owner] = site.accounts
  if (!owner) throw new Error("the site has no owner")
  const ids = await idsOf(site, owner.userId)
  const callers = [
    ["admin", admin, { cookie: await startAdminCookie(site) }, { ...ids, space_id: ids.space_number ?? "" }],
    ["account", account, { cookie: await startCookie(site, owner.userId) }, ids],
    ["v1", v1, { authorization: `Bearer ${owner.key}` }, ids],
  ] as const
  const limits = await readLimits()
  const all: DefaultAnswer[] = []
  for (const [group, { mount }, headers, own] of callers) {
    for (const operation of operationsOf(mount)) {
      for (const asked of [QUERIES[operation.id] ?? "", ...(LONG[operation.id] ?? [])]) {
        const query = fill(asked, own)
        const path = fill(operation.path, own) + query
        const answers = []
        for (let nth = 0; nth < repeats; nth++) answers.push(await read(site, path, headers))
        const [first] = answers
        if (!first) continue
        const ms = Math.min(...answers.map((answer) => answer.ms))
        const cpu_ms = Math.min(...answers.map((answer) => answer.cpu_ms))
        all.push({ group, path: operation.path + query, ...first, ms, cpu_ms, limit_ms: limits[group] ?? Number.NaN })
      }
    }
  }
  return all
}

function operationsOf(mount: Group["mount"]): Operation[] {
  const app = new App()
  mount(app)
  return app.operations.filter(({ method }) => method === "get")
}

/** Ids by the name of a path's parameter. Operations on other objects answer that there is no such object. */
async function idsOf({ sql }: Site, userId: number): Promise<Record<string, string>> {
  const [ids] = await sql<Record<string, string>>(
    `select s.slug as space_id, s.space_id::text as space_number, s.slug as chat_key, t.turn_id, t.conversation_id, t.key_id,
       t.end_user_ref, $1::text as user_id, 'workspace-1' as workspace_id, '1' as team_id, '1' as sub_id, '1' as version,
       to_char(now(), 'YYYY-MM') as month
     from turns t join spaces s on s.space_id = t.space_id where t.user_id = $1::bigint order by t.turn_id desc limit 1`,
    [userId],
  )
  return ids ?? {}
}

const fill = (template: string, ids: Record<string, string>) =>
  template.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(ids[name] ?? "1"))

async function read({ runtime }: Site, path: string, headers: Record<string, string>) {
  const meter = await startCpuMeter({ worker: [runtime.pid] })
  const began = performance.now()
  const response = await fetch(runtime.url + path, { headers })
  const body = new Uint8Array(await response.arrayBuffer())
  const ms = performance.now() - began
  const { cpu } = await meter()
  if (response.status >= 500) throw new Error(`GET ${path}: HTTP ${response.status}`)
  const type = response.headers.get("content-type") ?? ""
  const text = new TextDecoder().decode(body)
  const lists = type.includes("json") ? listsIn(JSON.parse(text)) : []
  return {
    status: response.status,
    bytes: body.length,
    entries: Math.max(0, ...lists),
    rows: type.includes("csv") ? rowsOf(text) : lists.reduce((sum, length) => sum + length, 0),
    ms: round(ms, 0),
    cpu_ms: round((cpu.worker ?? Number.NaN) * 1000, 0),
  }
}

/** The rows below the names of the columns. */
const rowsOf = (csv: string) => csv.trimEnd().split("\n").length - 1

/** The lengths of all lists in a value. */
function listsIn(value: unknown): number[] {
  if (value === null || typeof value !== "object") return []
  const within = Object.values(value).flatMap(listsIn)
  return Array.isArray(value) ? [value.length, ...within] : within
}

/** The CPU time in milliseconds that wrangler.toml gives the worker of each group. */
async function readLimits(): Promise<Record<string, number | undefined>> {
  const { env } = undeclared<{ env: Record<string, { limits?: { cpu_ms: number } }> }>(
    parse(await readFile(join(import.meta.dirname, "..", "wrangler.toml"), "utf8")),
  )
  return Object.fromEntries(Object.entries(env).map(([group, { limits }]) => [group, limits?.cpu_ms]))
}

/** The share of its worker's limit that an answer may use. */
const MOST_SHARE = 0.1

/** The default answers at size, those with the most CPU first. Fails if one uses a tenth of its worker's limit. */
export async function measureAnswers(world: BenchWorld, { size }: Options) {
  const answers = await readDefaultAnswers(await createLargeSite(world, size), SIZES[size].repeats)
  const above = answers.filter(({ cpu_ms, limit_ms }) => cpu_ms > limit_ms * MOST_SHARE)
  const shown = answers
    .toSorted((a, b) => b.cpu_ms / b.limit_ms - a.cpu_ms / a.limit_ms)
    .map(({ path, group, limit_ms, ...rest }) => [
      `${group} ${path}`,
      { ...rest, "% of limit": round((rest.cpu_ms / limit_ms) * 100, 1) },
    ])
  return { "above a tenth of the limit": above.map(({ path }) => path), ...Object.fromEntries(shown) }
}
