import { newId } from "../../src/base/ids.ts"
import { App } from "../../src/http/app.ts"
import type { Operation } from "../../src/http/operation.ts"
import { admin as group } from "../../src/routes/admin/group.ts"
import { ADMIN_GROUPS } from "./admin-groups.ts"
import { ADMIN_LOGINS } from "./admin-logins.ts"
import { ADMIN_PEOPLE } from "./admin-people.ts"
import { ADMIN_PLACES } from "./admin-places.ts"
import { ADMIN_PROVIDERS } from "./admin-providers.ts"
import { type Admin, signInAdmin } from "./books.ts"
import { createRandom, type Random } from "./random.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

/** The world that a fixture builds on: an admin, and an account with credit. */
export interface AdminEstate {
  world: World
  admin: Admin
  client: TestClient
  random: Random
}

/** A request that succeeds. Put the word "canary" into every secret that it sends. */
export interface AdminRequest {
  params?: Record<string, string | number>
  query?: string
  body?: object
  headers?: Record<string, string>
}

/**
 * Fixtures by operation id. Each one makes new data for its request on every call, so that a write
 * has an effect.
 */
export type AdminFixtures = Record<string, (estate: AdminEstate) => Promise<AdminRequest>>

/** Adds a turn that has just ended, so that a report is not empty. */
const used = (query: string) => async (estate: AdminEstate) => {
  const { client } = estate
  await client.runTurn({ space: await client.space() })
  return { query }
}

const anyTurn: AdminFixtures[string] = async ({ client }) => {
  const { turn_id } = await client.runTurn({ space: await client.space() })
  return { params: { turn_id } }
}

const ADMIN_TURNS: AdminFixtures = {
  listAllTurns: used("?sort=cost"),
  getAllTurnStats: used(""),
  getAnyTurn: anyTurn,
  getAnyTurnReceipt: anyTurn,
  cancelAnyTurn: async ({ client }) => {
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
    return { params: { turn_id }, body: { reason: "It hangs." } }
  },
  raiseAnyTurn: async ({ client }) => {
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space(), max_cost_usd: 0.1 }))
    return { params: { turn_id }, body: { max_cost_usd: 0.2, reason: "It waits." } }
  },
  searchEverything: used("?q=space"),
}

const ADMIN_ANALYTICS: AdminFixtures = {
  getContextComparison: used("?days=2"),
  getDailyUsage: used("?days=2&group_by=slug"),
  getTopUsers: used("?days=2&limit=3"),
  getEndUsersReport: used("?user_id=1&sort=tokens"),
  getErrorsReport: async () => ({ query: "?days=2" }),
  getContextSize: used("?days=2"),
  getTopSpaces: used("?days=2&limit=3"),
  getHourlyUsage: used("?days=2"),
  getHourlySpaces: used("?start=2026-11-20T00:00:00Z&end=2026-11-20T18:00:00Z&top=2"),
}

/** A file of a report that a callback has written. */
const reportFile: AdminFixtures[string] = async ({ world, admin }) => {
  const file_id = newId("report", world.clock.now())
  const key = `report-files/${file_id}/0-1`
  await world.bucket.put(key, "slug,date\r\n")
  await world.sql(
    `insert into report_files (file_id, user_id, report, asked, entries, total, bytes, parts, state, created_at, updated_at, expires_at)
     values ($1, $2, 'usage-by-slug', '{}', '{}', 0, 11, $3, 'ready', $4, $4, $4::timestamptz + interval '1 day')`,
    [file_id, admin.userId, [key], world.clock.now()],
  )
  return { params: { file_id } }
}

const ADMIN_FILES: AdminFixtures = { getReportFile: reportFile, getReportFileContent: reportFile }

const ADMIN_MONEY: AdminFixtures = {
  getEnergyTimeline: async () => ({ query: "?days=7" }),
  getBalanceTrend: async () => ({ query: "?all_time=true&active_window_days=7" }),
  getCostsReport: async () => ({ query: "?days=2" }),
  getCostRatesReport: async ({ client }) => ({ query: `?days=2&user_id=${client.userId}` }),
  getSubscriptionSpaces: async () => ({ query: "?subscription_id=rehearsal" }),
  getUserCostsReport: async () => ({ query: "?limit=3" }),
  getUsageBreakdown: async () => ({ query: "?dimension=model" }),
}

const ADMIN_SYSTEM: AdminFixtures = {
  getSystem: async () => ({}),
  reconcile: async () => ({}),
  listSettings: async () => ({}),
  updateSetting: async ({ random }) => ({ body: { key: "trial_days", value: 1 + random.int(3000) } }),
  billInfra: async () => ({}),
  listContainerMappings: async () => ({}),
  putContainerMapping: async ({ admin, client, random }) => {
    const mapping = { container: "sandbox", space: await client.space(), url: "https://sandbox.internal/mcp" }
    await admin.json("PUT", "/api/admin/system/containers/mappings", mapping)
    const headers = { authorization: `Bearer canary-of-a-container-${random.int(1_000_000)}` }
    return { body: { ...mapping, headers, url: `https://sandbox.internal/${random.int(1_000_000)}` } }
  },
  removeContainerMapping: async ({ admin, client }) => {
    const [space, container] = [await client.space(), "sandbox"]
    const mapping = { container, space, url: "https://sandbox.internal/mcp" }
    await admin.json("PUT", "/api/admin/system/containers/mappings", mapping)
    return { params: { space, container } }
  },
  listExternalApiKeys: async () => ({}),
  updateExternalApiKey: async ({ random }) => ({
    params: { key_id: "engines.SPARE_KEY" },
    body: { value: `canary-value-of-a-key-${random.int(1_000_000_000)}` },
  }),
  unsetExternalApiKey: async ({ admin }) => {
    const key_id = "engines.SPARE_KEY"
    await admin.json("PUT", `/api/admin/api-keys/${key_id}`, { value: "canary-value-of-a-key" })
    return { params: { key_id } }
  },
}

const FIXTURES: AdminFixtures = {
  ...ADMIN_PEOPLE,
  ...ADMIN_PLACES,
  ...ADMIN_GROUPS,
  ...ADMIN_SYSTEM,
  ...ADMIN_LOGINS,
  ...ADMIN_PROVIDERS,
  ...ADMIN_TURNS,
  ...ADMIN_ANALYTICS,
  ...ADMIN_FILES,
  ...ADMIN_MONEY,
}

/** Every operation of the admin API, from the table that the worker routes by. */
export const adminOperations: readonly Operation[] = (() => {
  const app = new App()
  group.mount(app)
  // A monitor has a token of its own, and no session.
  return app.operations.filter(({ byServer }) => !byServer)
})()

export async function createAdminEstate(world: World, name: string): Promise<AdminEstate> {
  return { world, admin: await signInAdmin(world), client: await world.createAccount(), random: createRandom(name) }
}

/** A request that calls this operation successfully. */
export async function requestOf(estate: AdminEstate, operation: Operation) {
  const fixture = FIXTURES[operation.id]
  if (!fixture) throw new Error(`say in test/harness/admin-*.ts how ${operation.id} is called`)
  const { params = {}, query = "", body, headers = {} } = await fixture(estate)
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, key: string) => encodeURIComponent(String(params[key])))
  return { method: operation.method.toUpperCase(), path: path + query, body, headers }
}
