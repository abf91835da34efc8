import type { AdminFixtures } from "./admin-requests.ts"

export const ADMIN_SYSTEM: AdminFixtures = {
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
  listExternalApiKeys: async () => ({}),
  updateExternalApiKey: async ({ random }) => ({
    params: { key_id: "engines.SPARE_KEY" },
    body: { value: `canary-value-of-a-key-${random.int(1_000_000_000)}` },
  }),
}
