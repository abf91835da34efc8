import type { AdminFixtures } from "./admin-requests.ts"
import { turnOf } from "./world.ts"

const note = "Sorry."

export const ADMIN_PEOPLE: AdminFixtures = {
  creditUser: async ({ client }) => ({
    params: { user_id: client.userId },
    body: { reason: "admin_grant", amount_usd: 2.5, note },
    headers: { "idempotency-key": crypto.randomUUID() },
  }),
  refundTurn: async ({ world, client }) => {
    const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
    await world.drain()
    return { params: { turn_id }, body: { note } }
  },
}
