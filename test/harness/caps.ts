import type { NewKey } from "../../src/keys/create-key.ts"
import { readAnswer } from "./answers.ts"
import { BARE } from "./customer.ts"
import type { TestClient, World } from "./world.ts"

/** The least hold of a turn with the text "hello" in a bare space: 85 tokens in, 16 out. */
export const NEEDED_USD = (85 * 10 + 16 * 50) / 10_000_000

/** A text whose turn costs 0.0002 USD. */
export const CHEAP = "[use input=100 output=20]"
export const CHEAP_USD = (100 * 10 + 20 * 50) / 10_000_000

/**
 * Creates an account with one key (scope `all`) that has these caps, a space, and a browser that
 * its owner is signed in to.
 */
export async function cappedAccount(world: World, { usd = 10, ...key }: { usd?: number } & Partial<NewKey> = {}) {
  const { userId } = await world.createAccount({ usd })
  const addKey = async (more: Partial<NewKey> = {}) =>
    asked(world.createClient(userId, (await world.makeKey(userId, { scope: "all", ...more })).value))
  const client = await addKey(key)
  const browser = await world.signIn(userId)
  return { userId, client, browser, addKey, space: await client.space(BARE) }
}

function asked(client: TestClient) {
  const of = (ref: string) => `/v1/end-users/${encodeURIComponent(ref)}`
  return {
    ...client,
    send: (body: { space: string } & Record<string, unknown>) => readAnswer(client.sendTurn(body)),
    estimate: (body: { space: string } & Record<string, unknown>) =>
      readAnswer(client.call("POST", "/v1/turns/estimate", { end_user_ref: "customer-1", text: "hello", ...body })),
    me: async () => (await readAnswer(client.call("GET", "/v1/me"))).body,
    endUser: async (ref = "customer-1") => (await readAnswer(client.call("GET", of(ref)))).body,
    putLimits: async (limits: object, ref = "customer-1") =>
      (await readAnswer(client.call("PUT", `${of(ref)}/limits`, limits))).body,
  }
}

export type CappedAccount = Awaited<ReturnType<typeof cappedAccount>>
