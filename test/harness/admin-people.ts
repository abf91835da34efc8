import type { AdminEstate, AdminFixtures } from "./admin-requests.ts"
import { turnOf } from "./world.ts"

const note = "Sorry."
const unique = () => crypto.randomUUID().slice(0, 8)

/** Subscribes the client's user to the trial plan. */
async function subscribe({ admin, client }: AdminEstate): Promise<{ sub_id: number }> {
  const body = { user_id: client.userId, plan: "trial", alongside: true }
  const [, { sub_id }] = await admin.json("POST", "/api/admin/subscriptions", body)
  return { sub_id }
}

async function billedTurn({ world, client }: AdminEstate): Promise<{ turn_id: string }> {
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.drain()
  return { turn_id }
}

async function askForRefund(estate: AdminEstate): Promise<{ turn_id: string }> {
  const { turn_id } = await billedTurn(estate)
  const browser = await estate.world.signIn(estate.client.userId)
  await browser.json("PUT", `/api/account/turns/${turn_id}/refund-request`, { reason: note })
  return { turn_id }
}

export const ADMIN_PEOPLE: AdminFixtures = {
  creditUser: async ({ client }) => ({
    params: { user_id: client.userId },
    body: { reason: "admin_grant", amount_usd: 2.5, note },
    headers: { "idempotency-key": crypto.randomUUID() },
  }),
  previewUsersChange: async ({ client }) => ({ body: { act: { kind: "disable" }, user_ids: [client.userId, 1] } }),
  changeUsers: async ({ admin, client }) => {
    const asked = { act: { kind: "credit", reason: "admin_grant", amount_usd: 2.5 }, user_ids: [client.userId] }
    const [, { state }] = await admin.json("POST", "/api/admin/users/bulk/preview", asked)
    return { body: { ...asked, state, note }, headers: { "idempotency-key": crypto.randomUUID() } }
  },
  refundTurn: async (estate) => ({ params: await billedTurn(estate), body: { note } }),
  listAllRefundRequests: async (estate) => {
    await askForRefund(estate)
    return { query: "?state=open&limit=5" }
  },
  decideRefund: async (estate) => ({
    params: await askForRefund(estate),
    body: { decision: "decline", answer: note },
  }),
  listUsers: async () => ({ query: "?q=a&role=admin&limit=10" }),
  createUser: async () => ({ body: { email: `${unique()}@example.com`, password: "a canary sings", name: "Ada" } }),
  getUser: async ({ client }) => ({ params: { user_id: client.userId } }),
  updateUser: async ({ client }) => ({ params: { user_id: client.userId }, body: { name: unique() } }),
  setUserCredentials: async ({ client }) => ({
    params: { user_id: client.userId },
    body: { email: `${unique()}@example.com`, password: `canary ${unique()}` },
  }),
  resetSecondFactor: async ({ world }) => {
    const { userId } = await world.createAccount()
    await world.sql(
      "insert into second_factors (user_id, secret, created_at, confirmed_at) values ($1, 'canary', now(), now())",
      [userId],
    )
    return { params: { user_id: userId } }
  },
  endUserSessions: async ({ client }) => ({ params: { user_id: client.userId } }),
  listUserSpaces: async ({ client }) => ({ params: { user_id: client.userId } }),
  createSubscription: async ({ client }) => ({
    body: { user_id: client.userId, plan: "trial", alongside: true, note },
  }),
  listSubscriptions: async () => ({ query: "?state=active&limit=5" }),
  getSubscription: async (estate) => ({ params: await subscribe(estate) }),
  updateSubscription: async (estate) => ({ params: await subscribe(estate), body: { note: unique() } }),
  deactivateSubscription: async (estate) => ({ params: await subscribe(estate) }),
  getSubscriptionUsage: async () => ({ query: "?days=7" }),
  listAudit: async () => ({ query: "?subject_type=user&limit=5" }),
  actAsUser: async ({ client }) => ({ params: { user_id: client.userId } }),
  endActing: async ({ admin, client }) => {
    await admin.json("POST", `/api/admin/users/${client.userId}/act-as`)
    return { params: { user_id: client.userId } }
  },
  getOverview: async () => ({}),
  getServiceLevel: async () => ({ query: "?days=7" }),
  getUserEnergy: async ({ client }) => ({ params: { user_id: client.userId } }),
}
