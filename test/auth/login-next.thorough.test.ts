import { afterAll, beforeAll, expect, test } from "vitest"
import { authContextOf } from "../harness/auth.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { createHostileWorld, type HostileWorld } from "../harness/hostile-provider.ts"
import { createBrowser } from "../harness/oidc-browser.ts"
import { redisOf } from "../harness/redis.ts"

let world: HostileWorld
beforeAll(async () => {
  world = await createHostileWorld()
})
afterAll(() => world.close())

/** The page that a login with `next` leads to. */
async function landing(next: string): Promise<string> {
  const { browser, response } = await world.signInAt({ next })
  expect([response.status, (await browser.me()) !== null], JSON.stringify(next)).toEqual([302, true])
  return response.headers.get("location") ?? ""
}

const HOSTS = [
  "evil.com",
  "evil.com/",
  "evil.com:443",
  "api.test.evil.com",
  "api.test@evil.com",
  "evil.com%23.api.test",
]
const SLASHES = [
  "//",
  "///",
  "////",
  "/\\",
  "\\/",
  "\\\\",
  "/\\/",
  "\\",
  "/%2f",
  "/%5c",
  "/%2F%2F",
  "/%252f",
  "/\t/",
  "/\n/",
  "/\r\n/",
]
const DOTS = ["/.//", "/..//", "/../..//", "/%2e//", "/%2e%2e//", "/a/..//", "/a/../..//", "/;//", "/.;//", "/./\\"]
const SCHEMES = [
  "https://",
  "HTTPS://",
  "https:",
  "https:/",
  "https:\\\\",
  "http://",
  "//",
  "ftp://",
  "ws://",
  "\u0001https://",
  " https://",
]
const SCRIPTS = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  "/javascript:alert(1)",
  "javascript://api.test/%0aalert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:msgbox(1)",
  "file:///etc/passwd",
  "blob:https://evil.com/1",
  "about:blank",
]
const ODD = [
  "",
  " ",
  "chat",
  "chat/",
  "./chat",
  "../chat",
  "?a=1",
  "#a",
  ".",
  "..",
  "@evil.com",
  "/@evil.com",
  "/%40evil.com",
  ":80",
  "/:80",
  "//",
  "///",
  "//\u3002evil.com",
  "//evil\u3002com",
  "/\u2044evil.com",
  "/\uff0fevil.com",
  "/%EF%BC%8Fevil.com",
  "//[::1]/",
  "//2130706433/",
  "//0x7f.1/",
  "/chat\r\nLocation: https://evil.com",
  "/chat\r\nSet-Cookie: token=x",
  "/%0d%0aLocation:%20https://evil.com",
  "/chat\u0000",
  "/%00//evil.com",
  "/%zz",
  "/%c0%af/evil.com",
  `${ORIGIN}@evil.com`,
  `${ORIGIN}.evil.com`,
  `${ORIGIN}/chat`,
  `/${"a".repeat(3000)}`,
  "/api/auth/logout",
  "/api/auth/oauth-login/start?next=//evil.com",
  "/API/AUTH/me",
  "/%61pi/auth/me",
  "/x/../api/auth/me",
]

const payloads = [
  ...new Set([
    ...SLASHES.flatMap((slashes) => HOSTS.map((host) => slashes + host)),
    ...DOTS.flatMap((dots) => HOSTS.slice(0, 2).map((host) => dots + host)),
    ...SCHEMES.flatMap((scheme) => HOSTS.map((host) => scheme + host)),
    ...SCRIPTS,
    ...ODD,
  ]),
]

test("Every hostile `next` leads to our own default page", async () => {
  expect(payloads.length).toBeGreaterThan(200)
  for (const next of payloads) expect(await landing(next), JSON.stringify(next)).toBe("/chat")
  console.log(`${payloads.length} payloads`)
})

test("Two `next` parameters lead to the default page too", async () => {
  const browser = createBrowser(world)
  const path = "/api/auth/oauth-login/start?next=/chat/1&next=//evil.com"
  const page = new URL((await browser.go(path)).headers.get("location") ?? "")
  expect((await browser.go(world.comeBack(page).href)).headers.get("location")).toBe("/chat")
})

test("A path of our own is the page after the login", async () => {
  const good = [
    "/",
    "/chat",
    "/chat/spc_1",
    "/chat?space=spc_1&turn=2#last",
    "/admin/users/42?q=a%20b&next=https://evil.com",
    "/search?q=//evil.com",
    "/files/r%C3%A4ume.pdf",
    "/a-b_c~d/(e)/f.g",
    "/account/keys?x=%2F%2Fevil.com#//evil.com",
  ]
  for (const next of good) {
    const location = await landing(next)
    expect(location).toBe(next)
    expect(new URL(location, ORIGIN).origin).toBe(ORIGIN)
  }
})

test("The default page is on the host of the request's brand", async () => {
  await world.sql(
    `insert into brands (brand, hosts, landing_path, created_at, updated_at) values ('acme', '["api.test"]', '/welcome', now(), now())`,
  )
  expect(await landing("//evil.com")).toBe("/welcome")
  expect(await landing("/chat")).toBe("/chat")
  await world.does({ claims: { sub: "new at this host" } })
  const { browser } = await world.signInAt()
  expect(await browser.me(), "a new user belongs to that brand too").toMatchObject({ brand: "acme" })
  await world.sql("delete from brands")
  await world.does({})
})

test("A stored `next` that was altered is checked again", async () => {
  const { redis } = authContextOf(world)
  const browser = createBrowser(world)
  const page = await browser.start("/mine")
  const [key] = (await redisOf(world).command("KEYS", "token:oauth_state:*")) as string[]
  const waiting = (await redis.get(key ?? "")) ?? ""
  await redis.set(key ?? "", waiting.replace('"redirect_to":"/mine"', '"redirect_to":"//evil.com"'), { ttlMs: 60_000 })
  const response = await browser.go(world.comeBack(page).href)
  expect(response.headers.get("location")).toBe("/chat")
})
