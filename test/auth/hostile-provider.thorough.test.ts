import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { OIDC_POLICY } from "../../src/sign-in/policies.ts"
import {
  CLIENT_ID,
  createHostileWorld,
  encoded,
  HOST,
  type HostileWorld,
  ISSUER,
  type Misdeeds,
  type ProviderAnswer,
} from "../harness/hostile-provider.ts"
import { createBrowser } from "../harness/oidc-browser.ts"
import { refusalOf } from "../harness/openid-world.ts"

let world: HostileWorld
beforeAll(async () => {
  world = await createHostileWorld()
})
afterAll(() => world.close())
beforeEach(() => world.does({}))

const seconds = () => Math.floor(world.clock.ms() / 1000)
const { toleranceSeconds } = OIDC_POLICY

/** Asserts that each of these faults signs no user in. */
async function refuses(
  misdeeds: Record<string, Misdeeds>,
  expected: [number, string] = [502, "LOGIN_PROVIDER_FAILED"],
) {
  const before = await users()
  for (const [what, misdeed] of Object.entries(misdeeds)) {
    await world.does(misdeed)
    const { browser, response } = await world.signInAt()
    expect(await refusalOf(browser, response), what).toEqual(expected)
  }
  expect(await users(), "no user was made").toBe(before)
}

const users = async () => (await world.sql<{ n: number }>("select count(*)::int as n from users"))[0]?.n

test("A correct provider of this kind signs the user in", async () => {
  const { browser, response } = await world.signInAt({ next: "/chat" })
  expect([response.status, response.headers.get("location")]).toEqual([302, "/chat"])
  expect((await browser.me())?.user_id).toBeGreaterThan(0)
})

describe("An ID token", () => {
  test("An ID token with a wrong claim is refused", async () => {
    const now = seconds
    await refuses({
      "wrong nonce": { claims: { nonce: "another" } },
      "no nonce": { claims: { nonce: undefined } },
      "wrong issuer": { claims: { iss: "https://id.other.com" } },
      "the issuer with a slash": { claims: { iss: `${ISSUER}/` } },
      "no issuer": { claims: { iss: undefined } },
      "wrong audience": { claims: { aud: "another" } },
      "wrong audiences": { claims: { aud: ["another", "third"] } },
      "no audience": { claims: { aud: undefined } },
      "also another audience, and no azp": { claims: { aud: [CLIENT_ID, "another"] } },
      "another audience, which is the authorized party": { claims: { aud: [CLIENT_ID, "another"], azp: "another" } },
      "another party": { claims: { azp: "another" } },
      "no subject": { claims: { sub: undefined } },
      "an empty subject": { claims: { sub: "" } },
      "a subject that is a number": { claims: { sub: 1 } },
      "a subject of 256": { claims: { sub: "s".repeat(256) } },
      "a subject with NUL": { claims: { sub: "a\0b" } },
      "no expiry": { claims: { exp: undefined } },
      "an expiry that is a text": { claims: { exp: "2099" } },
      "no time of issue": { claims: { iat: undefined } },
      "another access token's hash": { claims: { at_hash: "77QmUPtjPfzWtF2AnpK9RQ" } },
      "a hash that is a number": { claims: { at_hash: 1 } },
    })
    // The claims are computed at the moment of the login.
    for (const [what, claims] of [
      ["expired", () => ({ exp: now() - toleranceSeconds - 2, iat: now() - 3600 })],
      ["issued in the future", () => ({ iat: now() + toleranceSeconds + 2 })],
      ["not yet valid", () => ({ nbf: now() + toleranceSeconds + 2 })],
    ] as const) {
      await refuses({ [what]: { idToken: (right) => world.sign({ ...right, ...claims() }) } })
    }
  })

  test("An ID token from a slightly different clock is accepted", async () => {
    for (const claims of [
      () => ({ exp: seconds() - toleranceSeconds + 2 }),
      () => ({ iat: seconds() + toleranceSeconds - 2, nbf: seconds() + toleranceSeconds - 2 }),
    ]) {
      await world.does({ idToken: (right) => world.sign({ ...right, ...claims() }) })
      expect((await world.signInAt()).response.status).toBe(302)
    }
  })

  test("An ID token for several audiences with us as its authorized party, and with the right at_hash, is accepted", async () => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("an access token"))
    const at_hash = Buffer.from(digest.slice(0, 16)).toString("base64url")
    await world.does({ claims: { aud: [CLIENT_ID, "another"], azp: CLIENT_ID, at_hash } })
    expect((await world.signInAt()).response.status).toBe(302)
  })

  test("An ID token without a trustworthy signature is refused", async () => {
    const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true })
    const own = { ...(await exportJWK(publicKey)), kid: "own", alg: "RS256" }
    const hmac = (secret: Uint8Array, kid: string) => (claims: object) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", kid }).sign(secret)
    const text = new TextEncoder()
    const publicText = JSON.stringify(world.publicKeyOf("one"))
    const forged = (header: object) => (claims: object) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", ...header }).sign(privateKey)
    await refuses({
      "alg none": { idToken: (claims) => `${encoded({ alg: "none" })}.${encoded(claims)}.` },
      "alg NONE": { idToken: (claims) => `${encoded({ alg: "NONE", kid: "one" })}.${encoded(claims)}.` },
      "alg none, with a signature": {
        idToken: async (claims) => (await world.sign(claims)).replace(/^[^.]+/, encoded({ alg: "none", kid: "one" })),
      },
      "no alg": { idToken: async (claims) => (await world.sign(claims)).replace(/^[^.]+/, encoded({ kid: "one" })) },
      "HS256 with the public key": { idToken: hmac(text.encode(publicText), "one") },
      "HS256 with our client secret": { idToken: hmac(text.encode("between us"), "one") },
      "HS256 with an empty secret": { idToken: hmac(text.encode("x".repeat(32)), "one") },
      "an unknown kid": { header: { kid: "unknown" } },
      "another's key under a known kid": { idToken: forged({ kid: "one" }) },
      "another's key inside the token": { idToken: forged({ kid: "own", jwk: own }) },
      "a key URL in the token": { idToken: forged({ kid: "own", jku: "https://evil.com/keys" }) },
      "an unknown critical header": { header: { crit: ["exp"] } },
      "altered claims": {
        idToken: async (claims) =>
          (await world.sign(claims)).replace(/\.[^.]+\./, `.${encoded({ ...claims, sub: "admin" })}.`),
      },
      "no signature": { idToken: async (claims) => (await world.sign(claims)).replace(/[^.]+$/, "") },
      "four parts": { idToken: async (claims) => `${await world.sign(claims)}.x` },
      "no token": { token: { id_token: undefined } },
      "a token that is null": { token: { id_token: null } },
      "an empty text": { token: { id_token: "" } },
      "no access token": { token: { access_token: undefined } },
      "another type of token": { token: { token_type: "mac" } },
      "an algorithm that it does not announce": { metadata: { id_token_signing_alg_values_supported: ["ES256"] } },
      "no keys": { keys: async () => [] },
      "two keys with that id": { keys: async () => [world.publicKeyOf("one"), world.publicKeyOf("one")] },
      "a key for encryption": { keys: async () => [{ ...world.publicKeyOf("one"), use: "enc" }] },
      "a secret as its key": { keys: async () => [{ kty: "oct", k: "AAAA", kid: "one", alg: "RS256" }] },
      "a key list that is a text": { at: { "/keys": () => Response.json({ keys: "x" }) } },
    })
    expect(
      world.seen.filter((place) => !place.startsWith(HOST)),
      "no other server was called",
    ).toEqual([])
  })

  test("An ID token under a new key is accepted at once, and one under the old key is refused", async () => {
    const { browser } = await world.signInAt()
    await world.rotate("two")
    expect((await world.signInAt({ browser })).response.status).toBe(302)
    await refuses({ "the old key": { idToken: (claims) => world.sign(claims, "one") } })
  })
})

describe("A provider's metadata", () => {
  test("Metadata of another issuer, incomplete metadata and forbidden URLs are refused", async () => {
    const wrong: Record<string, object> = {
      "another issuer": { issuer: "https://id.other.com" },
      "the issuer with a slash": { issuer: `${ISSUER}/` },
      "no issuer": { issuer: undefined },
      "no authorization endpoint": { authorization_endpoint: undefined },
      "a page that is a script": { authorization_endpoint: "javascript:alert(1)" },
      "a page without TLS": { authorization_endpoint: "http://id.hostile.com/auth" },
      "no token endpoint": { token_endpoint: undefined },
      "a token endpoint without TLS": { token_endpoint: "http://id.hostile.com/token" },
      "a token endpoint on this machine": { token_endpoint: "https://127.0.0.1/token" },
      "a token endpoint in a private net": { token_endpoint: "https://10.0.0.1/token" },
      "keys at a metadata service": { jwks_uri: "http://169.254.169.254/keys" },
      "userinfo on this machine": { userinfo_endpoint: "http://localhost/me" },
      "only signatures that anyone can forge": { id_token_signing_alg_values_supported: ["none", "HS256"] },
    }
    for (const [what, metadata] of Object.entries(wrong)) {
      await world.does({ metadata })
      const browser = createBrowser(world)
      expect(await refusalOf(browser, await browser.go("/api/auth/oauth-login/start")), what).toEqual([
        502,
        "LOGIN_PROVIDER_FAILED",
      ])
      expect(browser.cookies.size, what).toBe(0)
    }
  })

  test("A callback without the announced `iss` is refused", async () => {
    await refuses({ "no iss": { metadata: { authorization_response_iss_parameter_supported: true } } })
  })

  test("Signed or foreign userinfo is refused, and correct userinfo supplies a missing email", async () => {
    await refuses({
      "another subject": { userinfo: { sub: "somebody", email: "boss@people.test", email_verified: true } },
      "no subject": { userinfo: { sub: undefined, email: "boss@people.test", email_verified: true } },
      "a JWT": { at: { "/me": () => new Response("a.b.c", { headers: { "content-type": "application/jwt" } }) } },
    })
    await world.does({
      claims: { sub: "asks" },
      userinfo: { sub: "asks", email: "Asks@people.test", email_verified: true },
    })
    expect(await (await world.signInAt()).browser.me()).toMatchObject({
      email: "Asks@people.test",
      email_verified: true,
    })
  })

  test("A verification flag counts only in the same document as its email", async () => {
    await world.does({
      claims: { sub: "mixes", email_verified: true, name: "Mia" },
      userinfo: { email: "boss@people.test" },
    })
    expect(await (await world.signInAt()).browser.me()).toMatchObject({ email: null, name: "Mia" })
  })

  test("Metadata is requested once within some minutes", async () => {
    const places = () => world.seen.filter((place) => place.includes(".well-known")).length
    const before = places()
    for (let n = 0; n < 3; n++) await world.signInAt()
    expect(places() - before).toBe(1)
    await world.advance(OIDC_POLICY.metadataMs)
    await world.signInAt()
    expect(places() - before).toBe(2)
  })
})

describe("Malformed answers of a provider", () => {
  const endpoints = ["/.well-known/openid-configuration", "/token", "/keys", "/me"]

  async function goTo(place: string) {
    const browser = createBrowser(world)
    if (place === endpoints[0]) return { browser, path: "/api/auth/oauth-login/start" }
    return { browser, path: world.comeBack(await browser.start()).href }
  }

  test.each(endpoints)("A %s that is huge, redirected, malformed or not JSON is refused", async (place) => {
    const many = `"${"x".repeat(64 * 1024)}"`
    const endless = () => {
      const chunk = new TextEncoder().encode(many)
      return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }), {
        headers: { "content-type": "application/json" },
      })
    }
    const answers: Record<string, () => Response> = {
      endless,
      "a redirect": () => Response.redirect("https://evil.com/", 302),
      "a redirect within": () => Response.redirect(`${ISSUER}/other`, 307),
      "a page": () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      "broken JSON": () => new Response("{", { headers: { "content-type": "application/json" } }),
      "a list": () => Response.json([]),
      null: () => Response.json(null),
      "not found": () => new Response("", { status: 404 }),
      "another error": () => Response.json({ error: "invalid_client" }, { status: 401 }),
    }
    for (const [what, answer] of Object.entries(answers)) {
      await world.does({ at: { [place]: answer } })
      const { browser, path } = await goTo(place)
      expect(await refusalOf(browser, await browser.go(path)), what).toEqual([502, "LOGIN_PROVIDER_FAILED"])
    }
    expect(world.seen.filter((seen) => seen.startsWith("evil.com") || seen.endsWith("/other"))).toEqual([])
  })

  test.each(endpoints)("A %s that is too slow to start or to finish is abandoned", async (place) => {
    const drip = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) })
    const answers: (() => Response | Promise<Response>)[] = [
      () => new Promise<Response>(() => {}),
      () => new Response(drip, { headers: { "content-type": "application/json" } }),
    ]
    for (const answer of answers) {
      const asked = Promise.withResolvers<void>()
      const slow: ProviderAnswer = () => {
        asked.resolve()
        return answer()
      }
      await world.does({ at: { [place]: slow } })
      const { browser, path } = await goTo(place)
      const response = browser.go(path)
      await asked.promise
      await world.clock.sleeping(1, OIDC_POLICY.timeoutMs)
      await world.advance(OIDC_POLICY.timeoutMs)
      expect(await refusalOf(browser, await response), place).toEqual([503, "LOGIN_PROVIDER_UNAVAILABLE"])
    }
  })
})
