import { expect } from "vitest"
import type { SetCaps } from "../../src/keys/caps.ts"
import type { Event } from "../../src/webhooks/schemas.ts"
import { BARE } from "./customer.ts"
import { makeWebhook, serveReceiver } from "./receiver.ts"
import type { TestClient, World } from "./world.ts"

/** A turn text whose bill equals the whole hold, so that `max_cost_usd` is its exact cost. */
export const COSTS_ALL = "[use input=99999999 output=0]"

let conversations = 0

/** Sends a turn with this exact cost, in a new conversation. */
export const sendFor = (client: TestClient, usd: number, body: { space: string } & Record<string, unknown>) =>
  client.sendTurn({ text: COSTS_ALL, max_cost_usd: usd, conversation: `c${++conversations}`, ...body })

/** An account whose key reads all spaces, with a receiver of account events. */
export async function createWatched(world: World, { usd = 100, caps }: { usd?: number; caps?: SetCaps } = {}) {
  const { userId } = await world.createAccount({ usd })
  const keyWith = async (own?: SetCaps) => {
    const { key_id, value } = await world.makeKey(userId, { scope: "all", ...(own && { caps: own }) })
    return { keyId: key_id, client: world.createClient(userId, value) }
  }
  const { keyId, client } = await keyWith(caps)
  const receiver = serveReceiver(world)
  const events = ["balance.low", "balance.depleted", "cap.reached"]
  const { webhook_id } = await makeWebhook(client, { url: receiver.url, events })
  // `skipPing` removed the ping but not the queue message that delivers it.
  await world.drain()
  const space = await client.space(BARE)
  return {
    userId,
    keyId,
    client,
    receiver,
    webhookId: webhook_id,
    space,
    keyWith,
    /** Runs a turn with this cost to its end. */
    async spend(amount: number, { by = client, ...body }: { by?: TestClient } & Record<string, unknown> = {}) {
      const response = await sendFor(by, amount, { space, ...body })
      expect(response.status, await response.clone().text()).toBe(202)
      const { turn_id } = (await response.json()) as { turn_id: string }
      await world.drain()
      const turn = await by.getTurn(turn_id)
      expect(turn.billed_cost_usd, JSON.stringify(turn)).toBe(amount)
    },
    /** Sends a turn and expects a refusal with this status. */
    async refused(status: number, body: Record<string, unknown> = {}) {
      const response = await client.sendTurn({ space, ...body })
      expect(response.status, await response.clone().text()).toBe(status)
      await world.drain()
    },
    /** The events that the receiver got since the previous call. */
    heard: () => receiver.received.splice(0).map(({ event }) => event),
    feed: async (type: string) =>
      ((await (await client.call("GET", `/v1/events?limit=100&type=${type}`)).json()) as { data: Event[] }).data,
  }
}

export const percents = (events: Event[]) => events.map(({ data }) => data.percent)
