import { createLocalJWKSet, type JWK, jwtVerify, SignJWT, UnsecuredJWT } from "jose"
import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { type PublicKey, ToolRequestError, verifyToolRequest } from "../../client/src/index.ts"
import { createKeyRing, parseKeyRing } from "../../src/base/key-ring.ts"
import { publishSigningKeys } from "../../src/ops/publish-signing-keys.ts"
import { retireSigningKey } from "../../src/ops/retire-signing-key.ts"
import { identityOf } from "../../src/tools/identity.ts"
import { contextOf } from "../harness/context.ts"
import { orderTool, type SeenRequest, serveCustomer } from "../harness/customer.ts"
import { createWorld, type World } from "../harness/world.ts"

const SHOP = "https://api.customer.com"
const MCP = "https://mcp.customer.com"

let world: World
let shop: ReturnType<typeof serveCustomer>
const mcp: SeenRequest[] = []
beforeAll(async () => {
  world = await createWorld()
  // It repeats all of its request in its answer.
  shop = serveCustomer(world, { answer: (request) => Response.json(request) })
  world.serve("mcp.customer.com", async (request) => {
    const body = request.method === "POST" ? await request.text() : ""
    mcp.push({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body })
    return fetch(inject("mcpUrl"), { method: request.method, headers: request.headers, ...(body && { body }) })
  })
})
afterAll(() => world.close())

async function keys(): Promise<PublicKey[]> {
  const response = await world.invoke(new Request("https://api.test/.well-known/jwks.json"))
  return ((await response.json()) as { keys: PublicKey[] }).keys
}

const issuer = () => contextOf(world).site.origin
const verifies = async (request: Pick<SeenRequest, "headers" | "body">, audience = SHOP, more: object = {}) =>
  verifyToolRequest(request, { audience, issuer: issuer(), keys: await keys(), now: world.clock.now(), ...more })

/** The claims that a published library reads from the token (jose). */
async function read({ headers }: SeenRequest, audience: string) {
  const jwks = createLocalJWKSet({ keys: (await keys()) as JWK[] })
  const { payload } = await jwtVerify(headers["turnpike-identity"] ?? "", jwks, {
    ...{ audience, issuer: issuer(), algorithms: ["EdDSA"], typ: "turnpike-identity+jwt" },
    ...{ currentDate: world.clock.now(), requiredClaims: ["jti", "exp", "iat", "act", "body"] },
  })
  return payload
}

const TEXT = [
  '[call lookup_order {"id":"A-1"}]',
  '[and call everything__echo {"message":"hi"}]',
  '[delegate researcher [call lookup_order {"id":"A-2"}]\\n[reply Found it.]]',
  "[reply It left.]",
].join("\n")

const configuration = (more: object = {}) => ({
  tools: [orderTool("api.customer.com", { timeout_seconds: 10, ...more })],
  mcp_servers: [{ name: "everything", url: `${MCP}/mcp`, allowed_tools: ["echo"], ...more }],
  secrets: { TOKEN: "token-1" },
  manifest: { subagents: [{ name: "researcher", description: "Finds orders.", tools: ["lookup_order"] }] },
})

const calledFor = (endUserRef: string | null, test = false) => ({
  values: { endUserRef, turnId: "turn_1", conversationId: "conv_1" },
  ...{ space: "s", configVersion: 1, test },
})

const forget = () => {
  shop.requests.length = 0
  mcp.length = 0
}

test("Each request to a tool and an MCP server says for whom, in which turn and for which body it is made", async () => {
  forget()
  const client = await world.createAccount()
  const space = await client.space(configuration())
  const turn = await client.runTurn({ space, end_user_ref: "ada", text: TEXT })
  expect(turn.state).toBe("done")
  const place = { space, config_version: expect.any(Number) }
  const common = { turn: turn.turn_id, conv: turn.conversation, sub: "ada", test: false }
  const rest = await Promise.all(shop.requests.map((request) => read(request, SHOP)))
  expect(rest).toHaveLength(2)
  for (const [index, claims] of rest.entries()) {
    const request = shop.requests[index] as SeenRequest
    expect(claims).toMatchObject({ ...common, jti: request.headers["idempotency-key"] })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(10 + 60)
    expect(await verifies(request)).toEqual({
      ...{ end_user_ref: "ada", space, config_version: (claims.act as { config_version: number }).config_version },
      ...{ agent: index === 0 ? null : "researcher", turn_id: turn.turn_id, conversation: turn.conversation },
      ...{ call: claims.call, test: false, id: claims.jti },
    })
  }
  expect(rest.map(({ act }) => act)).toEqual([
    { ...place, agent: null },
    { ...place, agent: "researcher" },
  ])
  const listed = await Promise.all(mcp.map((request) => read(request, MCP)))
  expect(listed.length).toBeGreaterThan(3)
  for (const claims of listed) expect(claims).toMatchObject(common)
  const called = mcp.filter(({ body }) => body.includes('"tools/call"'))
  expect(called).toHaveLength(1)
  for (const request of mcp) await verifies(request, MCP)
})

test("A token is in no answer that the model, the events or the trace show, also if the server repeats it", async () => {
  forget()
  const client = await world.createAccount()
  const space = await client.space(configuration())
  const turn = await client.runTurn({ space, end_user_ref: "ada", text: '[call lookup_order {"id":"A-1"}]\n[reply x]' })
  const token = shop.requests[0]?.headers["turnpike-identity"] ?? ""
  expect(token).toMatch(/^eyJ/)
  const [kept] = await world.sql<{ all: string }>(
    `select (select jsonb_agg(to_jsonb(s)) from turn_steps s where s.turn_id = $1)::text
      || (select jsonb_agg(to_jsonb(e)) from turn_events e where e.turn_id = $1)::text as "all"`,
    [turn.turn_id],
  )
  expect(kept?.all).toContain("turnpike-identity")
  expect(kept?.all).not.toContain(token.slice(0, 60))
})

test("A tool and a server that want no identity get none", async () => {
  forget()
  const client = await world.createAccount()
  const space = await client.space(configuration({ identity: "none" }))
  await client.runTurn({ space, end_user_ref: "ada", text: TEXT })
  expect(shop.requests.length + mcp.length).toBeGreaterThan(5)
  for (const { headers } of [...shop.requests, ...mcp]) expect(headers).not.toHaveProperty("turnpike-identity")
})

test("A tool cannot set a header of the service itself", async () => {
  const client = await world.createAccount()
  const request = { ...orderTool().request, headers: { "Turnpike-Identity": "{{input.id}}" } }
  const space = await client.space()
  const refused = await client.call("PUT", `/v1/spaces/${space}/tools/lookup_order`, orderTool(undefined, { request }))
  expect(refused.status).toBe(422)
})

test("A token of another origin, service, call, body, mode, time or key is refused", async () => {
  forget()
  const client = await world.createAccount()
  const space = await client.space(configuration())
  await client.runTurn({ space, end_user_ref: "ada", text: '[call lookup_order {"id":"A-1"}]\n[reply x]' })
  const good = shop.requests[0] as SeenRequest
  const token = good.headers["turnpike-identity"] ?? ""
  const claims = await read(good, SHOP)
  const refused = (request: Pick<SeenRequest, "headers" | "body">, why: RegExp, more: object = {}) =>
    Promise.all([
      expect(verifies(request, SHOP, more)).rejects.toThrow(why),
      expect(verifies(request, SHOP, more)).rejects.toBeInstanceOf(ToolRequestError),
    ])
  const withToken = (other: string) => ({ ...good, headers: { ...good.headers, "turnpike-identity": other } })
  await verifies(good, SHOP, { mode: "live" })
  await refused({ ...good, headers: {} }, /missing/)
  await refused(good, /which is not your audience/, { audience: "https://api.customer.com.evil.example" })
  await refused(good, /another service/, { issuer: "https://other.test" })
  await refused({ ...good, headers: { ...good.headers, "idempotency-key": "turn_x.0.0" } }, /another call/)
  await refused({ ...good, body: good.body.replace("A-1", "A-2") }, /another body/)
  await refused(good, /live turn/, { mode: "test" })
  const later = (seconds: number) => ({ now: new Date(world.clock.ms() + seconds * 1000) })
  await verifies(good, SHOP, later(10 + 60 + 59))
  await refused(good, /expired/, later(10 + 60 + 61))
  await refused(good, /check your clock/, later(-61))
  const [head = "", payload = "", signature = ""] = token.split(".")
  const changed = btoa(JSON.stringify({ ...claims, sub: "bob" })).replace(/=+$/, "")
  await refused(withToken(`${head}.${changed}.${signature}`), /not signed/)
  await refused(withToken(`${head}.${payload}.`), /not signed/)
  await refused(withToken(new UnsecuredJWT(claims).encode()), /not of this kind/)
  const { kid = "", x = "" } = (await keys()).find(({ purpose }) => purpose === "identity") as PublicKey
  // The public key as the secret of an HMAC, and a key that the token brings along.
  const hmac = new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "turnpike-identity+jwt", kid })
  await refused(withToken(await hmac.sign(new TextEncoder().encode(x))), /not of this kind/)
  const own = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair
  const jwk = (await crypto.subtle.exportKey("jwk", own.publicKey)) as JsonWebKey
  for (const header of [{ kid }, { kid: "own" }, { kid, jwk: jwk as JWK }]) {
    const forged = new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: "turnpike-identity+jwt", ...header })
    await refused(withToken(await forged.sign(own.privateKey)), /not signed|does not publish/)
  }
  // A receipt's key signs no identity.
  const receipts = (await keys()).map((key) => ({
    ...key,
    purpose: key.purpose === "identity" ? "receipts" : "identity",
  }))
  await refused(good, /does not publish/, { keys: receipts })
})

test("A withdrawn key signs no identity after a minute, and its tokens are refused at once", async () => {
  const ring = `leaked:${btoa("l".repeat(32))},newer:${btoa("n".repeat(32))}`
  await publishSigningKeys(contextOf(world), ring)
  const worker = { ...contextOf(world), keyRing: createKeyRing(parseKeyRing(ring)) }
  const sign = async () => {
    const identity = identityOf(worker, calledFor(null, true))
    const request = { url: `${SHOP}/x?y=1`, body: undefined, key: "turn_1.0.0", agent: null, timeoutMs: 1000 }
    return { headers: await identity(request), body: "" }
  }
  const old = await sign()
  expect(await verifies(old)).toMatchObject({ end_user_ref: null, test: true, call: "0.0" })
  const { kid } = JSON.parse(atob((old.headers["turnpike-identity"] ?? "").split(".")[0] ?? "")) as { kid: string }
  await retireSigningKey(contextOf(world), { kid, reason: "leaked" })
  await expect(verifies(old)).rejects.toThrow("does not publish")
  await world.advance(60_001)
  await verifies(await sign())
})

test("Without a published key, requests carry no identity, and the log says what to do", async () => {
  const lines: unknown[] = []
  const ctx = {
    ...contextOf(world),
    keyRing: createKeyRing(parseKeyRing(`unknown:${btoa("u".repeat(32))}`)),
    log: (...line: unknown[]) => void lines.push(line),
  }
  const identity = identityOf(ctx, calledFor("ada"))
  const request = { url: SHOP, body: "{}", key: null, agent: null, timeoutMs: 1000 }
  expect([await identity(request), await identity(request)]).toEqual([{}, {}])
  expect(lines).toEqual([["error", "identity.unsigned", { cure: expect.stringContaining("worker-keys") }]])
})

test("The keys are fetched once, and again for a key that is new", async () => {
  const ctx = contextOf(world)
  const identity = identityOf(ctx, calledFor("ada"))
  const signed = async () => ({
    headers: await identity({ url: SHOP, body: "{}", key: null, agent: null, timeoutMs: 1000 }),
    body: "{}",
  })
  let fetched = 0
  let shown: PublicKey[] = []
  const options = () => ({
    ...{ audience: SHOP, issuer: issuer(), now: world.clock.now() },
    fetch: (async () => {
      fetched++
      return Response.json({ keys: shown })
    }) as unknown as typeof fetch,
  })
  await expect(verifyToolRequest(await signed(), options())).rejects.toThrow("does not publish")
  shown = await keys()
  // A forged token does not make each request fetch the keys.
  await expect(verifyToolRequest(await signed(), options())).rejects.toThrow("does not publish")
  expect(fetched).toBe(1)
  await world.advance(30_001)
  for (let n = 0; n < 3; n++) expect(await verifyToolRequest(await signed(), options())).toMatchObject({ call: null })
  expect(fetched).toBe(2)
  await world.advance(3_600_001)
  await verifyToolRequest(await signed(), options())
  expect(fetched).toBe(3)
})
