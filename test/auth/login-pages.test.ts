import { createHash } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createBrowser, signInAtProvider } from "../harness/oidc-browser.ts"
import { createOpenIdWorld, newSubject, type OpenIdWorld } from "../harness/openid-world.ts"

const HTML = { accept: "text/html,application/xhtml+xml" }

let world: OpenIdWorld
beforeAll(async () => {
  world = await createOpenIdWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

/** The page that a person sees: status, title, code and the links. */
async function seen(response: Response) {
  const page = await response.text()
  return {
    status: response.status,
    title: /<h1>(.*?)<\/h1>/.exec(page)?.[1],
    code: /<code>([A-Z_]+)<\/code>/.exec(page)?.[1],
    links: [...page.matchAll(/<nav>.*<\/nav>/g)].flatMap(([nav]) =>
      [...nav.matchAll(/<a href="([^"]+)">([^<]+)</g)].map(([, href = "", name]) => `${name} ${href.split("?")[0]}`),
    ),
  }
}

const AGAIN = "Start again /api/auth/oauth-login/start"
const OTHER = "Sign in another way /sign-in"

describe("A failure of a provider's login in a browser is a styled page", () => {
  test("A login that the person cancels can start again", async () => {
    const browser = createBrowser(world)
    const back = await signInAtProvider(await browser.start("/chat"), null)
    const page = await seen(await browser.go(back.href, HTML))
    expect(page).toEqual({
      status: 403,
      title: "The sign-in was cancelled",
      code: "LOGIN_DENIED",
      links: [AGAIN, OTHER],
    })
  })

  test("An expired or unknown login says so", async () => {
    const page = await seen(await createBrowser(world).go("/api/auth/oauth-login/callback?state=x", HTML))
    expect(page).toEqual({
      status: 400,
      title: "This sign-in has expired",
      code: "LOGIN_STATE_INVALID",
      links: [AGAIN, OTHER],
    })
  })

  test("Without a provider there is no link to start again", async () => {
    world.rebind({ OIDC_ISSUER: undefined, OIDC_CLIENT_ID: undefined })
    const page = await seen(await createBrowser(world).go("/api/auth/oauth-login/start", HTML))
    expect(page).toEqual({
      status: 404,
      title: "This way to sign in is not set up",
      code: "LOGIN_NOT_CONFIGURED",
      links: [OTHER],
    })
  })

  test("A provider that does not answer, or answers nonsense, is named as the cause", async () => {
    await world.at("/.well-known/openid-configuration", () => new Response("", { status: 503 }))
    const silent = await seen(await createBrowser(world).go("/api/auth/oauth-login/start", HTML))
    expect(silent).toMatchObject({ status: 503, title: "The identity provider does not answer", links: [AGAIN, OTHER] })
    await world.reset()
    const browser = createBrowser(world)
    const back = await signInAtProvider(await browser.start(), newSubject())
    await world.at("/token", () => Response.json({ id_token: "nonsense" }))
    const odd = await seen(await browser.go(back.href, HTML))
    expect(odd).toMatchObject({ status: 502, title: "The identity provider sent an invalid answer" })
  })

  test("The page has the only style that its policy allows, and no script", async () => {
    const response = await createBrowser(world).go("/api/auth/oauth-login/callback?state=x", HTML)
    const policy = response.headers.get("content-security-policy") ?? ""
    const page = await response.text()
    const [, style = ""] = /<style>([^<]*)<\/style>/.exec(page) ?? []
    expect(style).toContain("color-scheme:light dark")
    expect(policy).toContain(`style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`)
    expect(page).not.toMatch(/<script|<img| style="| src=/)
  })

  test("A client that does not accept HTML gets the usual body", async () => {
    const response = await createBrowser(world).go("/api/auth/oauth-login/callback?state=x")
    expect(await response.json()).toMatchObject({ code: "LOGIN_STATE_INVALID" })
  })
})
