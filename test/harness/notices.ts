import { expect } from "vitest"
import { declarationOf, type EventType } from "../../src/webhooks/event-types.ts"
import type { receiveEmails } from "./second-factor.ts"
import type { World } from "./world.ts"

/** The notices of an account's feed, the oldest first, as a key to all spaces reads them. Each has the data that it is declared with. */
export async function noticesOf(world: World, userId: number) {
  await world.settled()
  const { value } = await world.makeKey(userId, { scope: "all" })
  const response = await world.createClient(userId, value).call("GET", "/v1/events")
  const { data } = (await response.json()) as { data: { type: EventType; data: Record<string, unknown> }[] }
  for (const { type, data: told } of data) expect(declarationOf(type).data.parse(told), type).toEqual(told)
  return data.map(({ type, data }) => ({ type, data })).reverse()
}

/** What the operator's server was asked to send to somebody. */
export const sentTo = (emails: ReturnType<typeof receiveEmails>, email: string) =>
  emails.filter(({ to }) => to === email).map(({ kind, data }) => ({ kind, data }))
