import { expect } from "vitest"
import { declarationOf, type EventType } from "../../src/webhooks/event-types.ts"
import type { World } from "./world.ts"

export const EMAIL_HOOK = { EMAIL_HOOK_URL: "https://email.test/send", EMAIL_HOOK_SECRET: "hook secret" }

interface SentEmail {
  kind: string
  to: string
  brand: string
  data: Record<string, string>
  authorization: string | null
}

/** The requests to our operator's email server, in order of arrival. */
export function receiveEmails(world: World): SentEmail[] {
  const emails: SentEmail[] = []
  world.serve("email.test", async (request) => {
    const body = (await request.json()) as Omit<SentEmail, "authorization">
    emails.push({ ...body, authorization: request.headers.get("authorization") })
    return new Response(null, { status: 204 })
  })
  return emails
}

/**
 * The notices in an account's feed, oldest first, as a key to all spaces reads them. Checks each
 * against its declared data.
 */
export async function noticesOf(world: World, userId: number) {
  await world.settled()
  const { value } = await world.makeKey(userId, { scope: "all" })
  const response = await world.createClient(userId, value).call("GET", "/v1/events")
  const { data } = (await response.json()) as { data: { type: EventType; data: Record<string, unknown> }[] }
  for (const { type, data: told } of data) expect(declarationOf(type).data.parse(told), type).toEqual(told)
  return data.map(({ type, data }) => ({ type, data })).reverse()
}

/** The emails that the operator's server was asked to send to this address. */
export const emailsTo = (emails: ReturnType<typeof receiveEmails>, email: string) =>
  emails.filter(({ to }) => to === email).map(({ kind, data }) => ({ kind, data }))
