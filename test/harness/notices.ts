import type { receiveEmails } from "./second-factor.ts"
import type { World } from "./world.ts"

/** The notices of an account's feed, the oldest first, as a key to all spaces reads them. */
export async function noticesOf(world: World, userId: number) {
  await world.settled()
  const { value } = await world.makeKey(userId, { scope: "all" })
  const response = await world.createClient(userId, value).call("GET", "/v1/events")
  const { data } = (await response.json()) as { data: { type: string; data: Record<string, unknown> }[] }
  return data.map(({ type, data }) => ({ type, data })).reverse()
}

/** What the operator's server was asked to send to somebody. */
export const sentTo = (emails: ReturnType<typeof receiveEmails>, email: string) =>
  emails.filter(({ to }) => to === email).map(({ kind, data }) => ({ kind, data }))
