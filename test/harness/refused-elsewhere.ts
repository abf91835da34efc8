import { App } from "../../src/http/app.ts"
import { auth } from "../../src/routes/auth/group.ts"
import { cappedAccount } from "./caps.ts"
import { documentedAt } from "./documented.ts"
import { createPortalBrowser, makePortal } from "./portal.ts"
import { byKey, faultyCalls, type RefusedTry, type Send, type SentCall, writes } from "./refusals.ts"
import type { TestClient, World } from "./world.ts"

/** The variable IDP_INTERNAL_SECRET of the world. */
export const IDP_SECRET = "secret-of-the-identity-service"

/** Requests of sign-in, of the portal and of the queue. */
export async function triesWithoutSession(world: World): Promise<RefusedTry[]> {
  const client = await world.createAccount()
  const portals = createPortalBrowser(world)
  const portal = await portals.open(await makePortal(client, "ada", { scopes: ["usage"] }))
  const ask =
    (headers: Record<string, string>): Send =>
    ({ method, path, body, headers: own }) =>
      world.invoke(
        new Request(`https://api.test${path}`, {
          method,
          headers: { "content-type": "application/json", ...own, ...headers },
          body: typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
        }),
      )
  const app = new App()
  auth.mount(app)
  const examples = new Map((await documentedAt("/api/openapi.json")).map((one) => [one.id, one]))
  const here = { "sec-fetch-site": "same-origin" }
  const tries = writes(app.operations).flatMap((operation): RefusedTry[] => {
    const { id, path } = operation
    const example = examples.get(id)
    const call: SentCall = { method: "POST", path, headers: {}, body: example?.body ?? "{}" }
    const known = { ...here, "x-internal-secret": IDP_SECRET }
    const faults = faultyCalls(operation, call).map((fault) => ({ ...fault, id, send: ask(known) }))
    const statuses = [400, 401, 403, 404, 409, 413, 415, 422, 501, 503]
    return [
      {
        id,
        why: "a page of another origin",
        statuses: [401, 403],
        call,
        send: ask({ "sec-fetch-site": "cross-site" }),
      },
      ...(id === "logout"
        ? []
        : [{ id, why: "the example's secrets, which are not ours", statuses, call, send: ask(here) }]),
      ...faults.map((fault) => ({ ...fault, statuses: [...fault.statuses, 401, 403] })),
    ]
  })
  const inPortal = (
    why: string,
    path: string,
    body: object,
    headers: Record<string, string>,
    statuses: number[],
  ): RefusedTry => ({
    id: `POST ${path}`,
    why,
    statuses,
    call: { method: "POST", path, body, headers: {} },
    send: ask({ ...here, ...headers }),
  })
  const decide = "/portal/api/turns/turn_x/calls/0.0/decision"
  const bearer = { authorization: `Bearer ${portal.token}` }
  const queue = [
    "/callbacks/runners",
    "/callbacks/webhooks/whk_x",
    "/callbacks/provider-logins/x",
    "/callbacks/report-files/x",
    "/callbacks/internal/try-tool",
  ]
  return [
    ...tries,
    inPortal("another code", "/portal/api/token", { session: "x", code: "x" }, {}, [401]),
    inPortal("no token", decide, { decision: "allow" }, {}, [401]),
    inPortal("a scope that is missing", decide, { decision: "allow" }, bearer, [403]),
    inPortal("another origin", decide, { decision: "allow" }, { ...bearer, origin: "https://evil.example" }, [403]),
    ...queue.map((path) => inPortal("no signature of the queue", path, {}, {}, [401, 404])),
    ...queue.map((path) =>
      inPortal(
        "a wrong signature",
        path,
        {},
        { "upstash-signature": "a.b.c", "turnpike-signature": "a.b.c" },
        [401, 404],
      ),
    ),
  ]
}

/** Turns that money, caps or a block refuse, with a file in each request that may have one. */
export async function triesOfMoney(world: World): Promise<RefusedTry[]> {
  const url = `data:text/plain;base64,${btoa("x".repeat(1000))}`
  const cases: [
    why: string,
    status: number[],
    account: Parameters<typeof cappedAccount>[1],
    arrange?: (client: TestClient) => Promise<unknown>,
  ][] = [
    ["an account without money", [402], { usd: 0 }],
    ["a cap of the key", [429], { caps: { daily_usd: 0.0000001 } }],
    ["a blocked end user", [403], {}, (client) => client.call("PUT", "/v1/end-users/ada/limits", { blocked: true })],
    [
      "a prepaid end user without credit",
      [402],
      {},
      (client) => client.call("PUT", "/v1/end-users/ada/billing", { prepaid: true }),
    ],
  ]
  const all: RefusedTry[] = []
  for (const [why, statuses, account, arrange] of cases) {
    const { client, space } = await cappedAccount(world, account)
    const done = (await arrange?.(client)) as Response | undefined
    if (done && !done.ok) throw new Error(await done.text())
    const once = { "idempotency-key": `refused ${why}` }
    const file = { type: "input_file", filename: "a.txt", file_data: url }
    const calls: Record<string, SentCall> = {
      createTurn: {
        method: "POST",
        path: "/v1/turns",
        headers: once,
        body: { space, end_user_ref: "ada", text: "hello" },
      },
      createResponse: {
        method: "POST",
        path: "/v1/openai/responses",
        headers: once,
        body: {
          model: space,
          safety_identifier: "ada",
          background: true,
          input: [{ role: "user", content: [file, { type: "input_text", text: "See" }] }],
        },
      },
      createChatCompletion: {
        method: "POST",
        path: "/v1/openai/chat/completions",
        headers: once,
        body: {
          model: space,
          user: "ada",
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "See" },
                { type: "file", file: { filename: "a.txt", file_data: url } },
              ],
            },
          ],
        },
      },
    }
    const data = url.slice(url.indexOf(",") + 1)
    calls.createMessage = {
      method: "POST",
      path: "/v1/anthropic/v1/messages",
      headers: once,
      body: {
        model: space,
        max_tokens: 100,
        metadata: { user_id: "ada" },
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "See" },
              { type: "document", source: { type: "base64", media_type: "text/plain", data } },
            ],
          },
        ],
      },
    }
    // The first refusal may write the event of a limit.
    for (const [id, call] of Object.entries(calls)) {
      await byKey(client)({ ...call, headers: { "idempotency-key": `first ${id}` } })
      all.push({ id, why, statuses, call, send: byKey(client) })
    }
  }
  return all
}
