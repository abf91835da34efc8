import { createUser } from "../../src/ops/seed.ts"
import type { AdminEstate, AdminFixtures } from "./admin-requests.ts"

const PRICES = { input: 1, cached: 0.1, output: 5 }

/** Adds a disabled model that only this test uses. */
export async function catalogModel({ admin }: Pick<AdminEstate, "admin">, more: object = {}): Promise<string> {
  const model = `m-${crypto.randomUUID().slice(0, 8)}`
  const body = { engine: "openai-compatible", model, label: "Ours", price_usd_per_million_tokens: PRICES, ...more }
  const [status, row] = await admin.json("POST", "/api/admin/model-catalog", body)
  if (status !== 200) throw new Error(JSON.stringify(row))
  return row.pin
}

/** The number of a space that only this test uses. */
export async function spaceNumber({ world, client }: Pick<AdminEstate, "world" | "client">): Promise<number> {
  const slug = await client.space()
  const [row] = await world.sql<{ space_id: number }>("select space_id::int from spaces where slug = $1", [slug])
  return row?.space_id ?? 0
}

export const ADMIN_PLACES: AdminFixtures = {
  listModelCatalog: async () => ({}),
  addModel: async () => ({
    body: {
      engine: "openai-compatible",
      model: `m-${crypto.randomUUID().slice(0, 8)}`,
      label: "Ours",
      price_usd_per_million_tokens: PRICES,
    },
  }),
  patchModel: async (estate) => ({
    params: { pin: await catalogModel(estate) },
    body: { enabled: true, label: "New" },
  }),
  putModelPrices: async (estate) => ({
    params: { pin: await catalogModel(estate) },
    body: { input: 2, cached: 0.2, output: 9 },
  }),
  planModelPrices: async (estate) => ({
    params: { pin: await catalogModel(estate) },
    body: { begins_at: "2099-01-01T00:00:00Z", prices: { input: 2, cached: 0.2, output: 9 } },
  }),
  cancelPlannedPrices: async (estate) => {
    const pin = await catalogModel(estate)
    const body = { begins_at: "2099-01-01T00:00:00Z", prices: { input: 2, cached: 0.2, output: 9 } }
    await estate.admin.json("PUT", `/api/admin/model-catalog/${pin}/planned-prices`, body)
    return { params: { pin } }
  },
  listModelProposals: async () => ({}),
  listRecentSpaces: async () => ({}),
  listSpaceInventory: async ({ client }) => {
    await client.space()
    return { query: "?sort=cost&direction=desc" }
  },
  getSpaceById: async (estate) => ({ params: { space_id: await spaceNumber(estate) } }),
  putSpaceChat: async (estate) => ({
    params: { space_id: await spaceNumber(estate) },
    body: { chat_key: `messenger:-100${1 + estate.random.int(1e9)}` },
  }),
  addSpaceMember: async (estate) => ({
    params: { space_id: await spaceNumber(estate) },
    body: { user_id: await createUser(estate.world.sql, { name: "Guest" }) },
  }),
  removeSpaceMember: async (estate) => {
    const [space_id, user_id] = [await spaceNumber(estate), await createUser(estate.world.sql, { name: "Guest" })]
    await estate.admin.json("POST", `/api/admin/spaces/by-id/${space_id}/members`, { user_id })
    return { params: { space_id, user_id } }
  },
  listBoards: async () => ({}),
  getSpaceByKey: async ({ client }) => ({ params: { chat_key: `space:${await client.space()}` } }),
  listSpaceSessions: async ({ world, client }) => {
    await client.sendTurn({ space: await client.space() })
    await world.drain()
    return {}
  },
  listTasks: async ({ client }) => {
    const space = await client.space({ manifest: { builtin_tools: ["create_task"] } })
    await client.runTurn({ space, text: '[call create_task {"title":"Call back"}]' })
    return { query: "?state=open" }
  },
}
