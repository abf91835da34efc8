import { expect } from "vitest"
import type { PortalAccess } from "../../src/portal/answers.ts"
import type { JsonBody } from "./answers.ts"
import type { World } from "./world.ts"

const HOST = "https://api.test"
/** A page of a customer that shows the portal in a frame. */
export const SHOP = "https://shop.example.com"

export interface PortalAddress {
  url: string
  expires_at: string
}

interface Asker {
  call(method: string, path: string, body?: unknown): Promise<Response>
}

/** Creates a session of the portal for an end user. */
export async function makePortal(
  client: Asker,
  ref: string,
  body: Record<string, unknown> = {},
): Promise<PortalAddress> {
  const path = `/v1/end-users/${encodeURIComponent(ref)}/portal-sessions`
  const scopes = ["usage", "turns", "limits", "approvals"]
  const response = await client.call("POST", path, { scopes, allowed_origins: [SHOP], ...body })
  expect(response.status).toBe(201)
  return response.json()
}

/** Does what the page does: reads the code of its address, exchanges it and asks with the token. */
export function createPortalBrowser(world: Pick<World, "invoke">) {
  const ask = (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
    world.invoke(
      new Request(HOST + path, {
        ...init,
        headers: { "sec-fetch-site": "same-origin", ...(init.body ? JSON_BODY : {}), ...headers },
      }),
    )
  const partsOf = (url: string) => {
    const { pathname, hash } = new URL(url)
    return { session: pathname.split("/").at(-1) ?? "", code: hash.slice(1) }
  }
  const exchange = (body: { session: string; code: string }, headers: Record<string, string> = {}) =>
    ask("/portal/api/token", { method: "POST", body: JSON.stringify(body) }, headers)
  return {
    ask,
    partsOf,
    exchange,
    /** The page itself, as a browser loads it into a frame. */
    page: (url: string) => ask(new URL(url).pathname),
    /** Opens a session, and returns what asks with its token. */
    async open({ url }: PortalAddress) {
      const response = await exchange(partsOf(url))
      expect(response.status).toBe(200)
      const answer = (await response.json()) as PortalAccess
      const get = (path: string, headers: Record<string, string> = {}) =>
        ask(`/portal/api/${path}`, {}, { authorization: `Bearer ${answer.token}`, ...headers })
      const decide = (turnId: string, decision: string, call = "0.0") =>
        ask(
          `/portal/api/turns/${turnId}/calls/${call}/decision`,
          { method: "POST", body: JSON.stringify({ decision }) },
          { authorization: `Bearer ${answer.token}` },
        )
      const watch = (turnId: string) =>
        ask(
          `/portal/api/turns/${turnId}/watch`,
          { method: "POST", body: "{}" },
          { authorization: `Bearer ${answer.token}` },
        )
      const change = (facts: object) =>
        ask(
          "/portal/api/profile",
          { method: "POST", body: JSON.stringify({ facts }) },
          { authorization: `Bearer ${answer.token}` },
        )
      return { ...answer, get, decide, watch, change }
    },
  }
}

const JSON_BODY = { "content-type": "application/json" }

/** The JSON of a request that succeeded. */
export async function portalJson(response: Response): Promise<JsonBody> {
  expect(response.status).toBe(200)
  return response.json()
}

/** Status and code of a refused request. */
export async function portalRefusalOf(response: Response): Promise<[number, string]> {
  const body = (await response.json()) as { error?: { code: string }; code?: string }
  return [response.status, body.error?.code ?? body.code ?? ""]
}
