import { type CryptoKey, exportJWK, generateKeyPair } from "jose"
import { type Browser, createBrowser } from "./oidc-browser.ts"
import { createWorld } from "./world.ts"

export const HOST = "id.hostile.com"
export const ISSUER = `https://${HOST}`
export const CLIENT_ID = "turnpike"
export const CLIENT_SECRET = "between us"

// biome-ignore lint/suspicious/noExplicitAny: claims and headers that no right provider gives
type Anything = Record<string, any>
export type ProviderAnswer = (request: Request) => Response | Promise<Response>

/** The provider's faults, all optional. By default the provider behaves correctly. */
export interface Misdeeds {
  metadata?: Anything
  /** Claims that replace the correct ones; undefined removes a claim. */
  claims?: Anything
  /** Makes the whole ID token from the correct claims. */
  idToken?: (claims: Anything) => string | Promise<string>
  header?: Anything
  /** Fields that are added to the token endpoint's answer or replace its fields. */
  token?: Anything
  keys?: () => Promise<object[]>
  /** Answers by path, instead of the normal ones. */
  at?: Record<string, ProviderAnswer>
  userinfo?: Anything
}

/**
 * A service whose provider follows the test. It checks what a correct provider checks: client,
 * code, redirect_uri and PKCE.
 */
export async function createHostileWorld(more: Record<string, string> = {}) {
  const env = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET, ...more }
  const world = await createWorld({ env })
  const keys = new Map<string, Awaited<ReturnType<typeof makeKey>>>([["one", await makeKey("one")]])
  const flows = new Map<string, URLSearchParams>()
  const seen: string[] = []
  let wrong: Misdeeds = {}
  let signing = "one"

  const published = async () => [keys.get(signing)?.jwk ?? {}]

  async function tokens(request: Request): Promise<Response> {
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()))
    const asked = flows.get(form.get("code") ?? "")
    const basic = `Basic ${btoa("turnpike:between+us")}`
    const isClient = request.headers.get("authorization") === basic || form.get("client_secret") === CLIENT_SECRET
    if (!asked || !isClient)
      return Response.json({ error: asked ? "invalid_client" : "invalid_grant" }, { status: 400 })
    if ((await hash(form.get("code_verifier") ?? "")) !== asked.get("code_challenge")) {
      return Response.json({ error: "invalid_grant" }, { status: 400 })
    }
    if (form.get("redirect_uri") !== asked.get("redirect_uri")) throw new Error("another redirect_uri")
    const now = Math.floor(world.clock.ms() / 1000)
    const right = { iss: ISSUER, aud: CLIENT_ID, sub: "subject", nonce: asked.get("nonce"), iat: now, exp: now + 300 }
    const claims = { ...right, ...wrong.claims }
    const id_token = await (wrong.idToken?.(claims) ?? sign(claims))
    return Response.json({ access_token: "an access token", token_type: "Bearer", id_token, ...wrong.token })
  }

  async function sign(claims: Anything, kid = signing): Promise<string> {
    const key = keys.get(kid)?.privateKey as CryptoKey
    const text = [{ alg: "RS256", kid, ...wrong.header }, claims].map(encoded).join(".")
    const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key, new TextEncoder().encode(text))
    return `${text}.${Buffer.from(signature).toString("base64url")}`
  }

  const places: Record<string, ProviderAnswer> = {
    "/.well-known/openid-configuration": () =>
      Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/auth`,
        token_endpoint: `${ISSUER}/token`,
        jwks_uri: `${ISSUER}/keys`,
        userinfo_endpoint: `${ISSUER}/me`,
        id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
        ...wrong.metadata,
      }),
    "/token": tokens,
    "/keys": async () => Response.json({ keys: await (wrong.keys ?? published)() }),
    "/me": () => Response.json({ sub: wrong.claims?.sub ?? "subject", ...wrong.userinfo }),
  }
  world.serve("*", (request) => {
    const { host, pathname } = new URL(request.url)
    seen.push(`${host}${pathname}`)
    const answer = host === HOST ? (wrong.at?.[pathname] ?? places[pathname]) : undefined
    return answer ? answer(request) : new Response("nothing here", { status: 404 })
  })

  return {
    ...world,
    sign,
    seen,
    publicKeyOf: (kid: string) => keys.get(kid)?.jwk ?? {},
    /** Signs with a new key from now on and publishes only that key. */
    async rotate(kid: string) {
      keys.set(kid, await makeKey(kid))
      signing = kid
    },
    /** Sets the provider's faults from now on, also for browsers that are already on its page. */
    misbehaves(misdeeds: Misdeeds) {
      wrong = misdeeds
    },
    /** Sets the provider's faults from now on, and makes the service fetch its metadata again. */
    async does(misdeeds: Misdeeds) {
      wrong = misdeeds
      world.rebind(env)
      await world.advance(300_000)
    },
    /** Returns from the provider's page with a code for the login. */
    comeBack(page: URL, parameters: Record<string, string> = {}): URL {
      const code = crypto.randomUUID()
      flows.set(code, page.searchParams)
      const back = new URL(page.searchParams.get("redirect_uri") ?? "")
      const all = { state: page.searchParams.get("state") ?? "", code, ...parameters }
      for (const [name, value] of Object.entries(all)) back.searchParams.set(name, value)
      return back
    },
    async signInAt(options: { next?: string; browser?: Browser; path?: string } = {}) {
      const browser = options.browser ?? createBrowser(world)
      const page = await browser.start(options.next, options.path)
      return { browser, response: await browser.go(this.comeBack(page).href) }
    },
  }
}

export type HostileWorld = Awaited<ReturnType<typeof createHostileWorld>>

/** Encodes a value as one part of a token. */
export const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

async function makeKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" } }
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Buffer.from(digest).toString("base64url")
}
