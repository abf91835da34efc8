import { afterAll, beforeAll, expect, test } from "vitest"
import { App } from "../../src/http/app.ts"
import { all } from "../../src/routes/all.ts"
import { signInAdmin } from "../harness/books.ts"
import { isThorough } from "../harness/crash.ts"
import { ORIGIN } from "../harness/dashboard.ts"
import { type Documented, documentedAt } from "../harness/documented.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let operations: Documented[]
beforeAll(async () => {
  world = await createWorld()
  operations = await documentedAt("/api/openapi.json")
})
afterAll(() => world.close())

/** Headers from a page of another site, or from a browser that sends none, with a user's cookie. */
const ATTEMPTS: [string, Record<string, string>][] = [
  [
    "a form of another site",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", origin: "https://evil.test" },
  ],
  [
    "a fetch of another site",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", origin: "https://evil.test" },
  ],
  ["a fetch that claims our origin", { "sec-fetch-site": "cross-site", origin: ORIGIN }],
  ["a sibling's page", { "sec-fetch-site": "same-site", origin: "https://blog.api.test" }],
  ["an address typed or a bookmark", { "sec-fetch-site": "none" }],
  ["a sandboxed frame", { "sec-fetch-site": "cross-site", origin: "null" }],
  ["an old browser elsewhere", { origin: "https://evil.test" }],
  ["an old browser, our name in another", { origin: "https://api.test.evil.test" }],
  ["another scheme", { origin: "http://api.test" }],
  ["another port", { origin: `${ORIGIN}:8443` }],
  ["an origin that is null", { origin: "null" }],
  ["neither header", {}],
  ["neither header, but a Referer", { referer: `${ORIGIN}/` }],
]

/** Another server calls it, with neither header. It does not exist without a configured secret. */
const isForServers = (id: string, from: Record<string, string>) =>
  id === "createIdpSession" && from.origin === undefined && from["sec-fetch-site"] === undefined

/**
 * Removes the header with which a server authenticates. A page could send it only if we allowed
 * that, and we never do.
 */
const withoutSecrets = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/secret/i.test(name)))

/** It does not exist for any caller until its secret is configured. */
const HIDDEN = "createIdpSession"
const notThere = (id: string, type: string) =>
  id === HIDDEN || type === "application/json" ? [404, "NOT_FOUND"] : [415, "UNSUPPORTED_MEDIA_TYPE"]

test("Every unsafe route below /api is an operation of the table", () => {
  const app = new App()
  all.mount(app)
  const known = new Set(app.operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`))
  const others = app.routes
    .filter(({ method, path }) => !["ALL", "GET"].includes(method) && path.startsWith("/api/"))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}")}`)
  expect(others.filter((route) => !known.has(route))).toEqual([])
  const documented = operations.map(({ id }) => id).sort()
  const mounted = app.operations.filter(({ path }) => path.startsWith("/api/")).map(({ id }) => id)
  expect(documented).toEqual(mounted.sort())
})

test("Every unsafe operation refuses requests from other sites before any effect", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const unsafe = operations.filter(({ method }) => method !== "GET")
  expect(unsafe.length).toBeGreaterThan(20)
  const types = ["application/json", "application/x-www-form-urlencoded", "text/plain"]
  let refused = 0
  for (const [nth, { id, method, path, headers, body }] of unsafe.entries()) {
    for (const [at, [what, from]] of ATTEMPTS.entries()) {
      // The default tier has one type for each attempt.
      for (const type of types.filter((_, place) => isThorough || place === (nth + at) % types.length)) {
        const sent = { ...withoutSecrets(headers), ...(body !== undefined && { "content-type": type }), ...from }
        const request = new Request(ORIGIN + path, {
          method,
          headers: { ...sent, cookie: `token=${browser.cookie()}` },
          ...(body !== undefined && { body }),
        })
        const response = await world.invoke(request)
        const { code } = (await response.json()) as { code: string }
        expect([response.status, code, response.headers.get("set-cookie")], `${id}: ${what}, ${type}`).toEqual([
          ...(isForServers(id, from) ? notThere(id, type) : [403, "CROSS_ORIGIN"]),
          null,
        ])
        expect(response.headers.get("server-timing"), id).toMatch(
          /pg;dur=0.0;desc="calls=0", redis;dur=0.0;desc="calls=0"/,
        )
        refused++
      }
    }
  }
  console.log(`${unsafe.length} unsafe operations, ${refused} requests refused`)
  // The session that all of them carried is unchanged.
  expect((await browser.call("GET", "/api/auth/me")).status).toBe(200)
})

test("A request from our own page is accepted with either header", async () => {
  const browser = await world.signIn((await world.createAccount()).userId)
  for (const headers of [{}, { "sec-fetch-site": null, origin: ORIGIN }]) {
    expect((await browser.call("POST", "/api/auth/app-token", undefined, headers)).status).toBe(200)
  }
})

test("A body from our own page must be JSON", async () => {
  // Other users have no right to the operations of admins, which they learn first.
  const admin = await signInAdmin(world)
  // A file may have any type. The test above checks that uploads come from our own pages.
  const app = new App()
  all.mount(app)
  const uploads = app.operations.filter(({ upload }) => upload === true).map(({ id }) => id)
  const others = operations.filter(({ id, method }) => method !== "GET" && !uploads.includes(id) && id !== HIDDEN)
  for (const { id, method, path, body } of others) {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const [status, answer] = await admin.json(method, path, body ?? "x=1", { "content-type": type })
      expect([status, answer.code], `${id}: ${type}`).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"])
    }
  }
})
