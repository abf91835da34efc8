import { afterAll, beforeAll, describe, expect, test } from "vitest"
import dashboard from "../../functions/dashboard.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const get = (url: string, headers: Record<string, string> = {}) =>
  world.invoke(new Request(url, { headers, redirect: "manual" }))

describe("Over http", () => {
  test("An API call with a key is refused, and its answer says that the key is no longer secret", async () => {
    const client = await world.createAccount()
    const answer = await get("http://api.test/v1/me", { Authorization: `Bearer ${client.key}` })
    expect(answer.status).toBe(403)
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    expect(error.code).toBe("HTTPS_REQUIRED")
    expect(error.message).toContain("has travelled in clear text: revoke it")
    expect((await get("https://api.test/v1/me", { Authorization: `Bearer ${client.key}` })).status).toBe(200)
  })

  test("Calls without a key and callbacks are refused too, in the format of their API", async () => {
    expect(await (await get("http://api.test/api/auth/session")).json()).toMatchObject({ code: "HTTPS_REQUIRED" })
    for (const path of ["/v1/health", "/callbacks/turns"])
      expect((await get(`http://api.test${path}`)).status).toBe(403)
  })

  test("A page is redirected to https with its path and query", async () => {
    const answer = await get("http://api.test/turns/turn_1?tab=bill")
    expect([answer.status, answer.headers.get("location")]).toEqual([308, "https://api.test/turns/turn_1?tab=bill"])
  })
})

describe("The worker of the web app", () => {
  const env = { ASSETS: { fetch: async () => new Response("a page") } as unknown as Fetcher }
  const page = (url: string) => dashboard.fetch(new Request(url) as Parameters<typeof dashboard.fetch>[0], env)

  test("The worker redirects a page over http, and serves it over https and on this machine", async () => {
    const answer = await page("http://turnpike.acme.com/home?range=7d")
    expect([answer.status, answer.headers.get("location")]).toEqual([308, "https://turnpike.acme.com/home?range=7d"])
    for (const url of ["https://turnpike.acme.com/home", "http://127.0.0.1:8787/home"]) {
      expect(await (await page(url)).text()).toBe("a page")
    }
  })

  test("The worker never serves a page for the path of another worker", async () => {
    for (const path of ["/v1/turns", "/api/account", "/callbacks/turns", "/docs"]) {
      expect((await page(`https://turnpike.acme.com${path}`)).status).toBe(404)
    }
    expect(await (await page("https://turnpike.acme.com/documents")).text()).toBe("a page")
  })
})
