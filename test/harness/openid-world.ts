import { expect, inject } from "vitest"
import { type Browser, createBrowser, signInAtProvider } from "./oidc-browser.ts"
import { OPENID_CLIENTS } from "./openid-clients.ts"
import { moveToRealTime } from "./time.ts"
import { createWorld } from "./world.ts"

/** A world whose identity provider is the certified one, over HTTP. A test can replace its answers. */
export async function createOpenIdWorld() {
  const issuer = inject("openIdUrl")
  const { client_id, client_secret } = OPENID_CLIENTS.basic
  const provider = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client_id, OIDC_CLIENT_SECRET: client_secret }
  const env = { ...provider, ALLOW_PRIVATE_TARGETS: "1" }
  const world = await createWorld({ env })
  const faults = new Map<string, (request: Request) => Response | Promise<Response>>()
  const { host } = new URL(issuer)
  world.serve(host, (request) => (faults.get(new URL(request.url).pathname) ?? fetch)(request))

  return {
    ...world,
    issuer,
    bindings: env,
    /** Moves the world to the machine's time, which the provider uses. Call it before each test. */
    async reset() {
      world.rebind(env)
      faults.clear()
      await moveToRealTime(world)
    },
    /** Replaces the provider's answers at one of its paths. */
    async at(path: string, answer: (request: Request) => Response | Promise<Response>) {
      // The service caches the provider's metadata for some minutes.
      if (path.startsWith("/.well-known")) await world.advance(300_000)
      faults.set(path, answer)
    },
    up: () => faults.clear(),
    /** Signs in as `login`; null cancels at the provider. */
    async signInAt(login: string | null, options: { next?: string; browser?: Browser } = {}) {
      const browser = options.browser ?? createBrowser(world)
      const back = await signInAtProvider(await browser.start(options.next), login)
      return { browser, back, response: await browser.go(back.href) }
    },
  }
}

export type OpenIdWorld = Awaited<ReturnType<typeof createOpenIdWorld>>

let people = 0

/**
 * A person that the provider has not seen before. `verified`, `unverified` and `silent` select what
 * the provider says about their email.
 */
export const newSubject = (kind = "verified") => `p${++people}x${crypto.randomUUID().slice(0, 8)}.${kind}`

/**
 * The status and code of a refused login. Checks that no user is signed in and that the answer
 * contains nothing from the URL.
 */
export async function refusalOf(browser: Browser, response: Response) {
  const text = await response.clone().text()
  expect(text).not.toMatch(/code=|state=|eyJ/)
  expect(await browser.me()).toBeNull()
  return [response.status, ((await response.json()) as { code: string }).code]
}
