import * as z from "zod"
import { App } from "../src/http/app.ts"
import type { Operation } from "../src/http/operation.ts"
import { admin } from "../src/routes/admin/group.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { startAdminCookie } from "./start-cookie.ts"
import { round } from "./statistics.ts"
import { storeLists } from "./store-lists.ts"
import type { BenchWorld } from "./world.ts"

const SIZES = {
  full: { spaces: 50_000, users: 100_000, tasks: 20_000, groups: 500, accounts: 100, repeats: 5 },
  smoke: { spaces: 50, users: 1_000, tasks: 50, groups: 2, accounts: 2, repeats: 1 },
}
/** Text filters that match nearly all rows, some rows, and no rows. */
const TEXTS = ["a", "77", "zzzz"]

/**
 * Measures every list and overview of admins with 100,000 users, 50,000 spaces and the stored turns. The result is the
 * fastest of 5 responses for each sort order and filter, in ms from the worker's statement to its rows (Server-Timing).
 * This includes the time of the stand-in.
 */
export async function measureAdmin(world: BenchWorld, { stored, size }: Options) {
  const site = await createSite(world, "admin", { runs: false, accounts: 0 })
  const { repeats, ...sizes } = SIZES[size]
  await storeLists(site.sql, { ...sizes, turns: stored })
  const cookie = await startAdminCookie(site)
  const app = new App()
  admin.mount(app)
  const rows: Record<string, string> = {}
  for (const operation of app.operations.filter(({ method }) => method === "get")) {
    const times: [ms: number, query: string, status: number][] = []
    for (const query of queriesOf(operation))
      times.push(await timeOf(site, cookie, { path: pathOf(operation), query, repeats }))
    times.sort(([a], [b]) => b - a)
    const [slowest = [0, "", 0]] = times
    rows[operation.path] =
      `${slowest[0]} ms at most of ${times.length} ways, for ${slowest[1] || "no filter"} (${slowest[2]})`
  }
  return rows
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
  { path, query, repeats }: { path: string; query: string; repeats: number },
): Promise<[number, string, number]> {
  let best = Infinity
  let status = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const response = await fetch(`${runtime.url}${path}${query && `?${query}`}`, { headers: { cookie } })
    await response.arrayBuffer()
    status = response.status
    if (status >= 500) throw new Error(`${path}?${query}: HTTP ${status}`)
    const [, ms = "0"] = /pg;[^,]*dur=([\d.]+)/.exec(response.headers.get("server-timing") ?? "") ?? []
    best = Math.min(best, Number(ms))
  }
  return [round(best), query, status]
}
