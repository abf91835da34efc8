import { expect } from "vitest"
import { sendFor } from "./account-events.ts"
import { readAnswer } from "./answers.ts"
import { BARE } from "./customer.ts"
import type { World } from "./world.ts"

interface SellerOptions {
  usd?: number
  test?: boolean
  of?: number
}

/** An account with a key for all spaces that sells to end users. `test`: a test key. `of`: an account that exists. */
export async function createSeller(world: World, { usd = 100, test = false, of: owner }: SellerOptions = {}) {
  const { userId } = owner === undefined ? await world.createAccount({ usd }) : { userId: owner }
  const { key_id: keyId, value } = await world.makeKey(userId, { scope: "all", test })
  const client = world.createClient(userId, value)
  const space = await client.space(BARE)
  const of = (ref: string) => `/v1/end-users/${encodeURIComponent(ref)}`
  const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const response = await client.call(method, path, body, headers)
    return { ...(await readAnswer(response)), headers: response.headers }
  }
  const send = (ref: string, usd: number, more: Record<string, unknown> = {}) =>
    readAnswer(sendFor(client, usd, { space, end_user_ref: ref, ...more }))
  return {
    userId,
    keyId,
    client,
    space,
    call,
    putPrice: (name: string, price: object) => call("PUT", `/v1/prices/${name}`, price),
    bill: (ref: string, billing: object) => call("PUT", `${of(ref)}/billing`, billing),
    credit: (ref: string, amount: number, key: string = crypto.randomUUID(), more: object = {}) =>
      call("POST", `${of(ref)}/credits`, { amount_usd: amount, ...more }, { "idempotency-key": key }),
    balance: async (ref: string) => (await call("GET", `${of(ref)}/balance`)).body,
    ledger: async (ref: string, query = "") => (await call("GET", `${of(ref)}/ledger${query}`)).body,
    /** Runs a turn whose bill is exactly `usd`. */
    async spend(ref: string, usd: number, more: Record<string, unknown> = {}) {
      const sent = await send(ref, usd, more)
      expect(sent.status, JSON.stringify(sent.body)).toBe(202)
      await world.drain()
      const turn = await client.getTurn(sent.body.turn_id)
      expect(turn.billed_cost_usd, JSON.stringify(turn)).toBe(test ? 0 : usd)
      return turn
    },
    send,
  }
}
