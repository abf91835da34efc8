import { createAccountProvider, LOGINS } from "./account-provider.ts"
import type { AdminEstate, AdminFixtures } from "./admin-requests.ts"

/** Adds a provider at which every login succeeds, and clears running logins. */
async function ready({ world, random }: AdminEstate) {
  world.rebind({ PROVIDER_LOGINS: JSON.stringify(LOGINS) })
  await world.sql("update provider_logins set state = 'expired', sealed = null where state = 'polling'")
  return { provider: createAccountProvider(world), account: `acc-${random.int(1_000_000_000)}` }
}

/** Starts a login as the estate's admin. Returns it with the code that the admin sees. */
async function begun(estate: AdminEstate, path: string, body?: object) {
  const { provider, account } = await ready(estate)
  const [, { authorization_url }] = await estate.admin.json("POST", `/api/admin/providers/${path}`, body)
  return provider.logIn(authorization_url, account)
}

export const ADMIN_LOGINS: AdminFixtures = {
  startProviderLogin: async (estate) => {
    await ready(estate)
    return { body: { name: "Ada" } }
  },
  submitProviderCode: async (estate) => {
    const { code, state } = await begun(estate, "auth/start", { name: "Ada" })
    return { body: { code: `${code}#${state}` } }
  },
  addProvider: async (estate) => {
    const { code } = await begun(estate, "auth/start", { name: "Ada" })
    await estate.admin.json("POST", "/api/admin/providers/auth/code", { code })
    return { body: { name: `Ada ${estate.random.int(1_000_000_000)}` } }
  },
  startDeviceLogin: async (estate) => {
    await ready(estate)
    return {}
  },
  getDeviceLogin: async (estate) => {
    await ready(estate)
    await estate.admin.json("POST", "/api/admin/providers/alt-pool/auth/start")
    return {}
  },
  getMediaLogin: async () => ({}),
  startMediaLogin: async (estate) => {
    await ready(estate)
    return {}
  },
  completeMediaLogin: async (estate) => {
    const { code, state, redirect } = await begun(estate, "media/auth/start")
    return { body: { callback_url: `${redirect}?code=${code}&state=${state}` } }
  },
}
