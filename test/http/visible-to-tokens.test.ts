import { afterAll, beforeAll, test } from "vitest"
import { serveCustomer } from "../harness/customer.ts"
import { createEstate, type Estate } from "../harness/estate.ts"
import { readEventStream } from "../harness/event-stream.ts"
import { type FullEstate, fillEstate, LATER_HOST, serveFullEstates } from "../harness/full-estate.ts"
import { chatWith, createBot } from "../harness/messenger.ts"
import { createPortalBrowser, makePortal } from "../harness/portal.ts"
import { expectSight, sightOfPlain } from "../harness/seen-by.ts"
import { TOKEN_SIGHTS } from "../harness/token-sights.ts"
import { createWorld, type World } from "../harness/world.ts"

const HEALTH_TOKEN = "token-of-the-monitor"
const IDP_SECRET = "secret-of-the-identity-service"

let world: World
let estate: FullEstate
/** Each request that a tool's server got. */
let later: ReturnType<typeof serveCustomer>
beforeAll(async () => {
  world = await createWorld({ env: { HEALTH_TOKEN, IDP_INTERNAL_SECRET: IDP_SECRET } })
  serveFullEstates(world)
  later = serveCustomer(world, { host: LATER_HOST, answer: () => new Response(null, { status: 202 }) })
  const made: Estate = await createEstate(world)
  estate = await fillEstate(world, made.client, made)
})
afterAll(() => world.close())

const ask = (path: string, init: RequestInit = {}) => world.invoke(new Request(`https://api.test${path}`, init))

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  ask(path, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers },
    body: JSON.stringify(body),
  })

/** The JSON of an answer, of success or not. */
const jsonOf = async (answer: Response | Promise<Response>): Promise<unknown> => (await answer).json()

type Row = keyof typeof TOKEN_SIGHTS

const expectRow = (row: Row, answers: Record<string, unknown>) =>
  expectSight(sightOfPlain(answers), TOKEN_SIGHTS[row], row)

/** Events by their type, so that the fields of each type have a line. */
const byType = (name: string, events: readonly { type: string; data: object }[]) =>
  Object.fromEntries(
    [...new Set(events.map(({ type }) => type))].map((type) => [
      `${name} ${type}`,
      events.filter((event) => event.type === type).map(({ data }) => data),
    ]),
  )

type WatchedEvents = { type: string; data: object }[]

/** The events of a turn in the page, and of an ended turn also in the stream. */
async function watched(turn: string, include: readonly string[]): Promise<WatchedEvents> {
  const made = await estate.client.call("POST", `/v1/turns/${turn}/watch-tokens`, { include })
  const { url } = (await made.json()) as { url: string }
  const { data } = (await jsonOf(world.invoke(new Request(`${url}&limit=100`)))) as { data: WatchedEvents }
  if (Object.values(estate.waiting).includes(turn)) return data
  const stream = await world.invoke(new Request(url, { headers: { accept: "text/event-stream" } }))
  return [...data, ...(await readEventStream<WatchedEvents[number] & { seq: number }>(stream))]
}

test.each([
  ["a watch token", []],
  ["a watch token with the inputs of tools", ["tool_inputs"]],
] as const)("The holder of %s sees the fields of its row", async (row, include) => {
  const path = `/v1/turns?limit=100&end_user_ref=${estate.canary}`
  const { data } = (await jsonOf(estate.client.call("GET", path))) as { data: { turn_id: string }[] }
  const events = (await Promise.all(data.map(({ turn_id }) => watched(turn_id, include)))).flat()
  expectRow(row, {
    "watchTurn event": events.map((event) => ({ ...event, data: true })),
    ...byType("watchTurn", events),
    "watchTurn refused": await jsonOf(ask("/v1/watch?token=watch_k1.x")),
  })
})

async function openPortal(scopes: string[]) {
  const portals = createPortalBrowser(world)
  const made = await makePortal(estate.client, estate.canary, {
    scopes,
    return_url: "https://shop.example.com/back",
    theme: { accent: "#123456", logo: "https://cdn.example.com/logo.svg" },
  })
  const page = await (await portals.page(made.url)).text()
  const frame = /data-frame="([^"]*)"/.exec(page)?.[1]?.replaceAll("&quot;", '"') ?? "{}"
  const portal = await portals.open(made)
  const { token, expires_in_seconds, scopes: granted, preview } = portal
  return {
    "the page's frame": JSON.parse(frame),
    exchangePortalCode: { token, expires_in_seconds, scopes: granted, preview },
    getPortalOverview: await jsonOf(portal.get("overview")),
    listPortalTurns: await jsonOf(portal.get("turns")),
    getPortalTurn: await jsonOf(portal.get(`turns/${estate.ids["ended/{turn_id}"]}`)),
    decideInPortal: await jsonOf(portal.decide(estate.waiting.decision, "deny")),
  }
}

test("A portal session sees the fields of its scopes", async () => {
  await estate.client.call("PUT", `/v1/end-users/${estate.canary}/limits`, { daily_usd: 50, monthly_usd: 500 })
  await estate.client.call(
    "POST",
    `/v1/end-users/${estate.canary}/credits`,
    { amount_usd: 5, note: "secret note" },
    { "idempotency-key": "gift" },
  )
  expectRow("a portal session without turns, money and decisions", await openPortal(["limits"]))
  expectRow("a portal session of all scopes", await openPortal(["usage", "turns", "limits", "wallet", "approvals"]))
})

test("A call's server sees the headers and fields of its row, and with the token no field of the turn", async () => {
  const sent = later.requests[0]
  const headers = sent?.headers ?? {}
  const [turn, ...call] = (headers["idempotency-key"] ?? "").split(".")
  const path = `/v1/turns/${turn}/calls/${call.join(".")}/result`
  const bearer = { authorization: `Bearer ${headers["turnpike-result-token"]}` }
  const answers = {
    "the request of a call": { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, true])) },
    "sendCallResult of another call": await jsonOf(post(`/v1/turns/${turn}/calls/9.9/result`, { output: 1 }, bearer)),
    "sendCallResult invalid": await jsonOf(post(path, {}, bearer)),
    sendCallResult: await jsonOf(post(path, { output: "printed" }, bearer)),
    "sendCallResult differs": await jsonOf(post(path, { output: "other" }, bearer)),
    getTurn: await jsonOf(ask(`/v1/turns/${turn}`, { headers: bearer })),
  }
  await world.drain()
  expectRow("a result token", {
    ...answers,
    "sendCallResult late": await jsonOf(post(path, { output: "printed" }, bearer)),
    "sendCallResult late and other": await jsonOf(post(path, { output: "other" }, bearer)),
  })
})

test("Our other servers, and callers without a credential, see the fields of their rows", async () => {
  const monitor = { headers: { authorization: `Bearer ${HEALTH_TOKEN}` } }
  expectRow("the monitor's token", { getServiceHealth: await jsonOf(ask("/api/health", monitor)) })
  const claims = {
    issuer: "https://id.partner.com",
    subject: "s1",
    email: "ida@people.test",
    email_verified: true,
    name: "Ida",
  }
  expectRow("the identity service's secret", {
    createIdpSession: await jsonOf(post("/api/auth/idp/session", claims, { "x-internal-secret": IDP_SECRET })),
  })
  const bot = await createBot(world, "acme")
  expectRow("a bot's secret", {
    "answerBotUpdate /login": (await chatWith(world, bot, 7).say("/login"))[1],
    "answerBotUpdate other": (await chatWith(world, bot, 7).say("hello"))[1],
  })
  await estate.client.sendTurn({ space: estate.space, conversation: "queue" })
  await world.settled()
  const due = await world.qstash.due()
  const answers = await Promise.all(
    due.map(async (message) => [
      new URL(message.url).pathname.split("/")[2] ?? "",
      await jsonOf(world.deliver(message)),
    ]),
  )
  expectRow("the queue's signature", Object.fromEntries(answers))
  expectRow("no credential", {
    getHealth: await jsonOf(ask("/v1/health")),
    getReadiness: await jsonOf(ask("/v1/health/ready")),
    jwks: await jsonOf(ask("/.well-known/jwks.json")),
    listSignInWays: await jsonOf(ask("/api/auth/ways", { headers: { "sec-fetch-site": "same-origin" } })),
    login: await jsonOf(post("/api/auth/login", { email: "nobody@people.test", password: "nine tall cranes" })),
    exchangeToken: await jsonOf(post("/api/auth/magic", { token: "x" })),
    startPasswordReset: await jsonOf(post("/api/auth/password-reset/start", { email: "nobody@people.test" })),
    "/v1": await jsonOf(ask("/v1/me")),
    "/api": await jsonOf(ask("/api/account/me")),
  })
})
