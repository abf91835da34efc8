import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { freshCredential, ProviderUnusable } from "../../src/providers/refresh.ts"
import type { ProviderSays } from "../harness/account-provider.ts"
import { createProviderWorld, type ProviderWorld } from "../harness/provider-world.ts"
import { accountNow, createRefresher, credentialOf } from "../harness/refreshing.ts"

let world: ProviderWorld
beforeAll(async () => {
  world = await createProviderWorld()
})
afterAll(() => world.close())
beforeEach(() => {
  world.provider.mend()
  world.provider.expires(3600)
  world.provider.wrongs.length = 0
})

const MINUTE = 60_000
let accounts = 0
/** An account whose access token has `left` ms left. */
async function account(left = 0) {
  const { provider_id } = await world.added(`acc-${++accounts}`)
  await world.advance(3_600_000 - left)
  return provider_id
}

const refreshes = () => world.provider.grantsOf("refresh_token").length
const fresh = async (id: string, options = {}, worker = createRefresher(world)) =>
  freshCredential(worker.ctx, await credentialOf(world, id), options)

/** The health in the error for an account that cannot be called. */
const unusable = (work: Promise<unknown>) =>
  work.then(
    () => "it can be called",
    (error: unknown) => (error instanceof ProviderUnusable ? (error.health ?? "passing") : error),
  )

test("A valid token is sent unchanged, with its headers, and so is an API key", async () => {
  const id = await account(6 * MINUTE)
  const before = refreshes()
  const sent = await fresh(id)
  expect(sent).toEqual({
    kind: "bearer",
    secret: expect.any(String),
    headers: { "x-beta": "oauth" },
    credential_version: 1,
    from: await credentialOf(world, id),
  })
  expect(world.provider.accountOfToken(sent.secret)).toBe(id)
  expect(refreshes()).toBe(before)
  const key = { name: "A key", kind: "api_key", api_key: "canary-of-a-key", engine: "openai" }
  const [, { provider_id }] = await world.call("add", key)
  expect(await fresh(provider_id)).toEqual({
    kind: "api_key",
    secret: "canary-of-a-key",
    headers: {},
    credential_version: 1,
    from: await credentialOf(world, provider_id),
  })
})

test("A token that expires within 5 minutes is refreshed before the call, once, and the refresh token rotates", async () => {
  const id = await account(5 * MINUTE)
  const before = refreshes()
  const first = await fresh(id)
  expect([first.credential_version, world.provider.accountOfToken(first.secret)]).toEqual([2, id])
  expect((await fresh(id)).secret).toBe(first.secret)
  expect(refreshes() - before).toBe(1)
  await world.advance(56 * MINUTE)
  expect((await fresh(id)).credential_version).toBe(3)
  expect([refreshes() - before, world.provider.wrongs, world.provider.usable(id).length]).toEqual([2, [], 1])
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 3, refreshing: false })
})

test("A 401 refreshes a token whatever its expiry, and a version that another worker saved is used", async () => {
  const id = await account(30 * MINUTE)
  const former = await credentialOf(world, id)
  const before = refreshes()
  const after = await fresh(id, { after401: true })
  expect([after.credential_version, refreshes() - before]).toEqual([2, 1])
  const late = await freshCredential(createRefresher(world).ctx, former, { after401: true })
  expect([late.secret, refreshes() - before]).toEqual([after.secret, 1])
  for (const { from } of [after, late]) {
    const { expires_at, ...now } = await credentialOf(world, id)
    expect(from).toEqual({ ...now, expires_at: new Date(expires_at ?? 0).toISOString() })
  }
  expect((await freshCredential(createRefresher(world).ctx, late.from, { after401: true })).credential_version).toBe(3)
})

test("An answer without a new refresh token keeps the old one, and an answer without an expiry stores none", async () => {
  const id = await account()
  world.provider.at("/token", () => Response.json({ access_token: "canary-a", token_type: "bearer" }))
  expect((await fresh(id)).secret).toBe("canary-a")
  expect((await credentialOf(world, id)).expires_at).toBeNull()
  expect((await fresh(id)).credential_version).toBe(2)
  world.provider.mend()
  expect((await fresh(id, { after401: true })).credential_version).toBe(3)
})

test("The expiry of a token that is a JWT is read from it", async () => {
  const id = await account()
  const exp = Math.floor(world.clock.ms() / 1000) + 1234
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const access_token = `${part({ alg: "none" })}.${part({ exp })}.`
  world.provider.at("/token", () => Response.json({ access_token, token_type: "bearer" }))
  await fresh(id)
  expect(new Date((await credentialOf(world, id)).expires_at ?? 0).getTime()).toBe(exp * 1000)
})

test.each([
  ["with an expired token", 0],
  ["with a token that expires soon", 4 * MINUTE],
])("A hundred concurrent calls on many workers %s make one refresh", async (_what, left) => {
  const id = await account(left)
  const before = refreshes()
  const credential = await credentialOf(world, id)
  world.provider.at("/token", async (_request, right) => {
    // All other calls have arrived before its answer.
    if (left === 0) await world.clock.sleeping(20, PROVIDER_POLICY.refreshLookMs)
    return right()
  })
  const workers = Array.from({ length: 10 }, () => createRefresher(world))
  const calls = Array.from({ length: 100 }, (_, at) => freshCredential(workers[at % 10]?.ctx as never, credential))
  let done = false
  const all = Promise.all(calls).finally(() => {
    done = true
  })
  while (!done) {
    await Promise.race([all, world.clock.sleeping(1, PROVIDER_POLICY.refreshLookMs)])
    await world.isCalm(250)
    if (!done) await world.advance(PROVIDER_POLICY.refreshLookMs / 10)
  }
  const sent = await all
  expect(refreshes() - before).toBe(1)
  expect(world.provider.wrongs).toEqual([])
  expect(sent.every(({ secret }) => world.provider.accountOfToken(secret) === id)).toBe(true)
  if (left === 0) expect(new Set(sent.map(({ secret }) => secret)).size).toBe(1)
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 2, refreshing: false })
})

const answers: [string, ProviderSays, "passing" | "needs_login" | "contained"][] = [
  ["500", () => new Response("canary", { status: 500 }), "passing"],
  ["503", () => Response.json({ error: "invalid_grant" }, { status: 503 }), "passing"],
  ["429", () => Response.json({ error: "slow_down" }, { status: 429 }), "passing"],
  ["a redirect", () => new Response(null, { status: 307, headers: { location: "https://evil.com" } }), "passing"],
  ["an invalid client", () => Response.json({ error: "invalid_client" }, { status: 401 }), "passing"],
  ["a page", () => new Response("<html>canary", { status: 403 }), "passing"],
  ["invalid_grant", () => Response.json({ error: "invalid_grant" }, { status: 400 }), "needs_login"],
  ["a connection that breaks", () => Promise.reject(new Error("canary")), "contained"],
  ["no JSON", () => new Response("canary"), "contained"],
  ["no token", () => Response.json({ token_type: "bearer" }), "contained"],
  ["a token that is an object", () => Response.json({ access_token: {}, token_type: "bearer" }), "contained"],
  [
    "an expiry that is a text",
    () => Response.json({ access_token: "c", token_type: "bearer", expires_in: "x" }),
    "contained",
  ],
  ["too much", () => Response.json({ access_token: "c".repeat(300_000), token_type: "bearer" }), "contained"],
]

describe.each(answers)("A provider that answers %s", (_what, says, becomes) => {
  test("With such an answer, an expired token leaves no usable credential", async () => {
    const id = await account()
    world.provider.at("/token", says)
    const before = refreshes()
    expect(await unusable(fresh(id))).toBe(becomes)
    const health = becomes === "passing" ? "healthy" : becomes
    expect(await accountNow(world, id)).toEqual({ health, version: 1, refreshing: false })
    world.provider.mend()
    if (becomes === "passing") expect((await fresh(id)).credential_version).toBe(2)
    else expect(await unusable(fresh(id)), "the provider is not called again").toBe(becomes)
    expect(refreshes() - before).toBe(becomes === "passing" ? 1 : 0)
    const { version } = await world.added(id)
    expect([version, (await accountNow(world, id)).health, (await fresh(id)).kind]).toEqual([2, "healthy", "bearer"])
  })

  test("A valid token stays in use if the failure is temporary", async () => {
    const id = await account(2 * MINUTE)
    world.provider.at("/token", says)
    if (becomes === "passing") expect((await fresh(id)).credential_version).toBe(1)
    else expect(await unusable(fresh(id))).toBe(becomes)
    world.provider.mend()
    const refused = await account(30 * MINUTE)
    world.provider.at("/token", says)
    expect(await unusable(fresh(refused, { after401: true }))).toBe(becomes)
  })
})

test("A provider that does not answer for 8 s leaves the account contained", async () => {
  const id = await account()
  world.provider.at("/token", () => new Promise<Response>(() => {}))
  const called = unusable(fresh(id))
  await world.clock.sleeping(1, PROVIDER_POLICY.timeoutMs)
  await world.advance(PROVIDER_POLICY.timeoutMs)
  expect(await called).toBe("contained")
  expect((await accountNow(world, id)).health).toBe("contained")
})

test("An invalid_grant after a lost race is a success", async () => {
  const id = await account()
  world.provider.at("/token", async () => {
    world.provider.mend()
    await world.added(id)
    return Response.json({ error: "invalid_grant" }, { status: 400 })
  })
  expect((await fresh(id)).credential_version).toBe(2)
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 2, refreshing: false })
})

test("A missing refresh token or login configuration and a refused key cannot be refreshed", async () => {
  world.provider.at("/token", async (_request, right) => {
    const { refresh_token: _none, ...answer } = (await (await right()).json()) as Record<string, unknown>
    return Response.json(answer)
  })
  const without = await account(2 * MINUTE)
  expect((await fresh(without)).credential_version).toBe(1)
  await world.advance(2 * MINUTE)
  expect(await unusable(fresh(without))).toBe("needs_login")
  expect((await accountNow(world, without)).health).toBe("needs_login")
  world.provider.mend()

  const id = await account(2 * MINUTE)
  const bare = () => createRefresher(world, { env: { PROVIDER_LOGINS: "" } })
  expect((await fresh(id, {}, bare())).credential_version).toBe(1)
  await world.advance(2 * MINUTE)
  expect(await unusable(fresh(id, {}, bare()))).toBe("passing")
  expect(await accountNow(world, id)).toEqual({ health: "healthy", version: 1, refreshing: false })

  const key = { name: `Key ${id}`, kind: "api_key", api_key: "canary-of-a-key", engine: "openai" }
  const [, { provider_id }] = await world.call("add", key)
  const former = await credentialOf(world, provider_id)
  expect(await unusable(fresh(provider_id, { after401: true }))).toBe("needs_login")
  await world.call("add", { ...key, provider_id, api_key: "canary-of-another-key" })
  const sent = await freshCredential(createRefresher(world).ctx, former, { after401: true })
  expect([sent.secret, (await accountNow(world, provider_id)).health]).toEqual(["canary-of-another-key", "healthy"])
})

test("A credential under an older key is sealed again in the background, and without that key it cannot be used", async () => {
  const id = await account(30 * MINUTE)
  const newer = `newer:${btoa("fedcba9876543210fedcba9876543210")}`
  const rotated = createRefresher(world, { env: { SECRETS_KEYS: `${newer},${world.env.SECRETS_KEYS}` } })
  await fresh(id, {}, rotated)
  await rotated.settled()
  expect((await credentialOf(world, id)).sealed).toMatch(/^newer\./)
  expect(await accountNow(world, id)).toMatchObject({ version: 1 })
  expect(await unusable(fresh(id))).toBe("passing")
})

test("A sweep contains an account whose refresh never ended", async () => {
  const id = await account()
  await world.sql("update provider_credentials set refreshing_until = $1, refreshing_by = 'x' where provider_id = $2", [
    new Date(world.clock.ms() + PROVIDER_POLICY.refreshMs).toISOString(),
    id,
  ])
  await world.sweep()
  expect((await accountNow(world, id)).health).toBe("healthy")
  await world.advance(PROVIDER_POLICY.refreshMs + PROVIDER_POLICY.pollLateMs)
  await world.advance(1)
  await world.sweep()
  expect(await accountNow(world, id)).toEqual({ health: "contained", version: 1, refreshing: false })
})
